//! Keys that a server before this one had in memory: those of jobs that wait for an answer, or for
//! the disk, are expanded while a place is idle, so that these jobs go on at once.
//!
//! No more than are kept anyway, none that would turn another out, and none while a job could run:
//! one that runs expands its own.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use super::Keys;
use crate::server::board::Board;

/// Starts the thread that does so. It ends when it has, or when the board drains for good.
pub(in crate::server) fn start(board: &Arc<Board>, keys: &Arc<Keys>) -> io::Result<JoinHandle<()>> {
    let (board, keys) = (Arc::clone(board), Arc::clone(keys));
    let thread = thread::Builder::new().name("warm".to_owned());
    thread.spawn(move || warm(&board, &keys))
}

fn warm(board: &Board, keys: &Keys) {
    for (client, hash) in board.open_keys() {
        if !board.until_idle() || keys.is_full() {
            return;
        }
        // Its jobs may have ended meanwhile.
        if !board.is_used(&client, &hash) {
            continue;
        }
        let path = board.store.blob_path(&client, &hash);
        match keys.of(&client, &hash, &path, board.settings.share(0)) {
            Ok((_, expanded)) => {
                if expanded {
                    board.metrics.expanded();
                }
                board.metrics.keys(keys.held());
            }
            // The job itself says what is wrong with it.
            Err(error) => tracing::debug!(blob = %hash, %error, "a key is not expanded ahead"),
        }
    }
}
