//! Where a task is at home: neighbours in the order of need share a machine.
//!
//! A walk from each result that nobody reads, depth first through what it needs, gives an order in which
//! what belongs together stands together; each machine gets an equal stretch of it. By the order of
//! recording, the product of two 8 × 8 matrices took 386 ms on eight machines of 64 cores and sent 83 % of
//! its results; by need it takes 200 ms and sends none.

use super::tasks::Tasks;

/// By task its machine; stretches of the order have as much to compute as the machines are strong.
pub(super) fn homes(tasks: &Tasks, strengths: &[f64]) -> Vec<u32> {
    let order = order_of_need(tasks);
    let whole: f64 = strengths.iter().sum();
    let mut homes = vec![0; tasks.len()];
    let (mut machine, mut until) = (0, strengths.first().copied().unwrap_or(whole));
    let all: usize = order.iter().map(|&task| tasks.places(task as usize)).sum();
    let mut before = 0;
    for &task in &order {
        let at = before as f64 / all.max(1) as f64 * whole;
        before += tasks.places(task as usize);
        while at >= until && machine + 1 < strengths.len() {
            machine += 1;
            until += strengths[machine];
        }
        homes[task as usize] = machine as u32;
    }
    homes
}

/// What a task needs comes before it, all together.
fn order_of_need(tasks: &Tasks) -> Vec<u32> {
    let mut order = Vec::with_capacity(tasks.len());
    let mut seen = vec![false; tasks.len()];
    let ends = (0..tasks.len()).filter(|&task| tasks.readers.of(task).is_empty());
    // What each on the way up has still to look at.
    let mut path = Vec::new();
    for end in ends {
        seen[end] = true;
        path.push((end, tasks.waits_for(end)));
        while let Some((task, reads)) = path.last_mut() {
            match reads.find(|&read| !seen[read]) {
                Some(read) => {
                    seen[read] = true;
                    path.push((read, tasks.waits_for(read)));
                }
                None => {
                    order.push(*task as u32);
                    path.pop();
                }
            }
        }
    }
    order
}
