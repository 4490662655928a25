//! `blindcore tls`: a private authority for one server and its clients, so that a first trial over
//! a network takes one command.
//!
//! Both sides of a connection show a certificate, and each accepts only what this authority
//! signed. A client's certificate says that it is a client's, and cannot stand in for the
//! server's. Every directory that is made is complete in itself and appears whole or not at all.

mod authority;

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;

use service::tls::{AUTHORITY, CERTIFICATE, KEY, fingerprint};
use tempfile::TempDir;
use zeroize::Zeroizing;

use super::{internal, print};
use crate::arguments::{Tls, TlsClient, TlsInit, TlsServer};
use crate::failure::{Code, Failure};
use authority::{Authority, Credentials, Role};

/// The file of the authority's own key, which stays where it is.
const AUTHORITY_KEY: &str = "ca.key";
/// The directory of the server's certificate.
const SERVER: &str = "server";
/// The client that is made when none is named.
const CLIENT: &str = "client";

/// Where the server can always be found on its own machine.
const LOCAL: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Makes certificates.
pub(crate) fn tls(arguments: &Tls) -> Result<(), Failure> {
    match arguments {
        Tls::Init(arguments) => init(arguments),
        Tls::Client(arguments) => client(arguments),
        Tls::Server(arguments) => server(arguments),
    }
}

fn init(arguments: &TlsInit) -> Result<(), Failure> {
    let dir = &arguments.dir;
    let mut clients: Vec<&str> = arguments.client.iter().map(String::as_str).collect();
    if clients.is_empty() {
        clients.push(CLIENT);
    }
    clients.extend(arguments.admin.iter().map(String::as_str));
    for (index, name) in clients.iter().enumerate() {
        check_name(name)?;
        if clients[..index].contains(name) {
            let message = format!("the client {name} is named twice");
            return Err(Failure::new(Code::Input, message));
        }
    }
    let hosts = hosts(&arguments.host);
    refuse_existing(dir)?;
    let staged = stage_beside(dir)?;
    let authority = Authority::new(&authority_name(dir)?)?;
    write_shared(&staged.path().join(AUTHORITY), authority.pem())?;
    write_owned(&staged.path().join(AUTHORITY_KEY), &authority.key_pem())?;
    let server = authority.issue(Role::Server(&hosts), arguments.days)?;
    write_credentials(&staged.path().join(SERVER), &authority, &server)?;
    let mut sections = String::new();
    for name in &clients {
        let credentials = authority.issue(Role::Client(name), arguments.days)?;
        write_credentials(&staged.path().join(name), &authority, &credentials)?;
        if arguments.admin.iter().any(|admin| admin == name) {
            sections.push_str(&section(name, &credentials)?);
        }
    }
    commit(staged, dir)?;
    let shown = dir.display();
    print(&format!(
        "{shown}: an authority, a server ({}), {}: {}\n\
         on the server:  blindcore serve --tls {shown}/{SERVER} …\n\
         for a client:   copy {shown}/{} to its machine; blindcore submit --tls {} …\n{}",
        hosts.join(", "),
        if clients.len() == 1 {
            "a client"
        } else {
            "clients"
        },
        clients.join(", "),
        clients[0],
        clients[0],
        for_administrators(&sections),
    ))
}

fn client(arguments: &TlsClient) -> Result<(), Failure> {
    let (dir, name) = (&arguments.dir, &arguments.name);
    let credentials = add(dir, name, Role::Client(name), arguments.days)?;
    let shown = dir.join(name);
    let shown = shown.display();
    let sections = match arguments.admin {
        true => section(name, &credentials)?,
        false => String::new(),
    };
    print(&format!(
        "{shown}: a client\ncopy it to its machine; blindcore submit --tls {name} …\n{}",
        for_administrators(&sections)
    ))
}

fn server(arguments: &TlsServer) -> Result<(), Failure> {
    let (dir, name) = (&arguments.dir, &arguments.name);
    let hosts = hosts(&arguments.host);
    let shown = dir.join(name);
    if arguments.worker {
        add(dir, name, Role::Worker(&hosts), arguments.days)?;
        return print(&format!(
            "{}: a worker ({})\nblindcore worker --listen HOST:PORT --tls {}\n",
            shown.display(),
            hosts.join(", "),
            shown.display(),
        ));
    }
    add(dir, name, Role::Server(&hosts), arguments.days)?;
    print(&format!(
        "{}: a server ({})\nput its cert.pem and key.pem in the place of the server's; blindcore admin reload …\n",
        shown.display(),
        hosts.join(", ")
    ))
}

/// Where a server can be found.
fn hosts(named: &[String]) -> Vec<&str> {
    let mut hosts: Vec<&str> = LOCAL.to_vec();
    for host in named {
        if !hosts.contains(&host.as_str()) {
            hosts.push(host);
        }
    }
    hosts
}

/// One more certificate of an authority that is there, in a directory of its own.
fn add(dir: &Path, name: &str, role: Role<'_>, days: u32) -> Result<Credentials, Failure> {
    check_name(name)?;
    let pem = read(&dir.join(AUTHORITY))?;
    let key = read(&dir.join(AUTHORITY_KEY))?;
    let authority = Authority::load(&pem, &key).map_err(|reason| {
        let path = dir.join(AUTHORITY_KEY);
        let message = format!("{}: {reason}: make it with `tls init`", path.display());
        Failure::new(Code::File, message)
    })?;
    let target = dir.join(name);
    refuse_existing(&target)?;
    let staged = stage_beside(&target)?;
    let credentials = authority.issue(role, days)?;
    fill(staged.path(), &authority, &credentials)?;
    commit(staged, &target)?;
    Ok(credentials)
}

/// What makes a client an administrator. By the certificate, so that no other of its name is one.
fn section(name: &str, credentials: &Credentials) -> Result<String, Failure> {
    let sha256 = fingerprint(credentials.certificate.as_bytes()).map_err(internal)?;
    Ok(format!("[client.{sha256}]  # {name}\nadmin = true\n"))
}

/// What to do with these sections, if there are any.
fn for_administrators(sections: &str) -> String {
    match sections {
        "" => String::new(),
        sections => format!(
            "for administrators, in the server's configuration (blindcore serve --config FILE):\n{sections}"
        ),
    }
}

/// The authority is called after its directory and by a number, so that two of them have distinct
/// names.
fn authority_name(dir: &Path) -> Result<String, Failure> {
    let name = dir.file_name().map(|name| name.to_string_lossy());
    let mut number = [0; 4];
    getrandom::fill(&mut number).map_err(internal)?;
    let number = u32::from_be_bytes(number);
    let name = name.unwrap_or_default();
    Ok(format!("Blindcore authority {name} {number:08x}"))
}

/// Names become directories and stand in logs: letters, digits, `.`, `_` and `-`.
pub(super) fn check_name(name: &str) -> Result<(), Failure> {
    let fits = (1..=64).contains(&name.len())
        && !name.starts_with(['.', '-'])
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    if !fits {
        let message = format!(
            "{name:?} cannot be a client's name: it takes 1 to 64 letters, digits, '.', '_' and '-', and begins with a letter, a digit or '_'"
        );
        return Err(Failure::new(Code::Input, message));
    }
    if [SERVER, AUTHORITY, AUTHORITY_KEY].contains(&name) {
        let message = format!("{name} cannot be a client's name: the directory has that already");
        return Err(Failure::new(Code::Input, message));
    }
    Ok(())
}

fn refuse_existing(path: &Path) -> Result<(), Failure> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Failure::io(path, "look at", &error)),
        Ok(_) => Err(Failure::new(
            Code::Io,
            format!(
                "{}: exists already, and certificates are never replaced: choose another name, or remove it first",
                path.display()
            ),
        )),
    }
}

/// A directory beside the one to be, for its owner only.
fn stage_beside(target: &Path) -> Result<TempDir, Failure> {
    let parent = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    tempfile::Builder::new()
        .prefix(".blindcore-")
        .tempdir_in(parent)
        .map_err(|error| Failure::io(target, "create", &error))
}

/// Gives the directory its name. Until then nothing stands there, and after that all of it.
fn commit(staged: TempDir, target: &Path) -> Result<(), Failure> {
    // An empty directory would be replaced, which is what nobody can mind.
    fs::rename(staged.path(), target).map_err(|error| Failure::io(target, "create", &error))?;
    let _ = staged.keep();
    Ok(())
}

fn write_credentials(
    dir: &Path,
    authority: &Authority,
    credentials: &Credentials,
) -> Result<(), Failure> {
    fs::create_dir(dir).map_err(|error| Failure::io(dir, "create", &error))?;
    fill(dir, authority, credentials)
}

fn fill(dir: &Path, authority: &Authority, credentials: &Credentials) -> Result<(), Failure> {
    write_shared(&dir.join(AUTHORITY), authority.pem())?;
    write_shared(&dir.join(CERTIFICATE), &credentials.certificate)?;
    write_owned(&dir.join(KEY), &credentials.key)
}

fn write_shared(path: &Path, text: &str) -> Result<(), Failure> {
    write(path, OpenOptions::new().write(true).create_new(true), text)
}

/// Mode 0600 from the moment of creation, whatever the umask.
fn write_owned(path: &Path, text: &str) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    write(path, &options, text)
}

fn write(path: &Path, options: &OpenOptions, text: &str) -> Result<(), Failure> {
    let written = options.open(path).and_then(|mut file: File| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    written.map_err(|error| Failure::io(path, "write", &error))
}

fn read(path: &Path) -> Result<Zeroizing<String>, Failure> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Zeroizing::new(text)),
        Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
            let message = format!("{}: is not text: make it with `tls init`", path.display());
            Err(Failure::new(Code::File, message))
        }
        Err(error) => Err(Failure::io(path, "read", &error)),
    }
}
