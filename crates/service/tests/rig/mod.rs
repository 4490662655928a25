//! What tests of the service share: certificates, an owner of keys, jobs, a client without
//! patience.

#![allow(dead_code, reason = "each test takes what it needs")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use blindcore_service::proto::blindcore_client::BlindcoreClient;
use blindcore_service::proto::chunk::Part;
use blindcore_service::proto::{
    Blob, BlobHeader, BlobKind, Chunk, FetchRequest, JobId, JobSpec, JobState, JobStatus,
};
use blindcore_service::task;
use processor::{Content, Entry, Input, Program, Task};
use random::Generator;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair,
};
use tfhe::leveled::SeededLeveledKey;
use tfhe::{KeyId, SecretKey, SeededServerKey, TOY_BLOCK};
use tonic::Status;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use values::{bits_of, bytes_of};
use wire::{Inputs, Outputs};

pub(crate) type Client = BlindcoreClient<Channel>;

pub(crate) const SALARIES: &[u8] = include_bytes!("../../../processor/tests/programs/salaries.elf");
pub(crate) const REFUSED: &[u8] = include_bytes!("../../../processor/tests/programs/refused.elf");
pub(crate) const XTEA: &[u8] = include_bytes!("../../../../examples/xtea/xtea.elf");

/// An authority with directories of a server and of clients, as `blindcore tls init` makes them.
pub(crate) fn certificates(root: &Path, clients: &[&str]) {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let issue = |directory: &str, names: &[&str], usage| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut parameters = CertificateParams::new(names).unwrap();
        parameters
            .distinguished_name
            .push(DnType::CommonName, directory);
        parameters.extended_key_usages = vec![usage];
        let key = KeyPair::generate().unwrap();
        let certificate = parameters.signed_by(&key, &authority).unwrap();
        let directory = root.join(directory);
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("ca.pem"), authority.pem()).unwrap();
        fs::write(directory.join("cert.pem"), certificate.pem()).unwrap();
        fs::write(directory.join("key.pem"), key.serialize_pem()).unwrap();
    };
    let key = authority.key().serialize_pem();
    fs::create_dir_all(root).unwrap();
    fs::write(root.join("ca.key"), key).unwrap();
    let local = ["localhost", "127.0.0.1"];
    issue("server", &local, ExtendedKeyUsagePurpose::ServerAuth);
    for client in clients {
        issue(client, &[], ExtendedKeyUsagePurpose::ClientAuth);
    }
}

/// Another certificate of the same authority, for the server or a client; its directory.
pub(crate) fn reissued(tls: &Path, name: &str) -> PathBuf {
    let old = tls.join(name);
    let read = |path: PathBuf| fs::read_to_string(path).unwrap();
    let key = KeyPair::from_pem(&read(tls.join("ca.key"))).unwrap();
    let authority = rcgen::Issuer::from_ca_cert_pem(&read(old.join("ca.pem")), key).unwrap();
    let (names, usage) = match name {
        "server" => (
            vec!["localhost".to_owned()],
            ExtendedKeyUsagePurpose::ServerAuth,
        ),
        _ => (Vec::new(), ExtendedKeyUsagePurpose::ClientAuth),
    };
    let mut parameters = CertificateParams::new(names).unwrap();
    parameters.distinguished_name.push(DnType::CommonName, name);
    parameters.extended_key_usages = vec![usage];
    let key = KeyPair::generate().unwrap();
    let certificate = parameters.signed_by(&key, &authority).unwrap();
    let directory = tls.join(format!("{name}-again"));
    fs::create_dir_all(&directory).unwrap();
    fs::copy(old.join("ca.pem"), directory.join("ca.pem")).unwrap();
    fs::write(directory.join("cert.pem"), certificate.pem()).unwrap();
    fs::write(directory.join("key.pem"), key.serialize_pem()).unwrap();
    directory
}

/// Connects with the certificate in a directory, or fails as the network does.
pub(crate) async fn connect_as(
    port: u16,
    authority: &Path,
    own: Option<&Path>,
) -> Result<Client, tonic::transport::Error> {
    let read = |path: PathBuf| fs::read(path).unwrap();
    let mut tls = ClientTlsConfig::new()
        .domain_name("localhost")
        .ca_certificate(Certificate::from_pem(read(authority.join("ca.pem"))));
    if let Some(own) = own {
        let certificate = read(own.join("cert.pem"));
        tls = tls.identity(Identity::from_pem(certificate, read(own.join("key.pem"))));
    }
    let endpoint = Endpoint::from_shared(format!("https://127.0.0.1:{port}")).unwrap();
    let channel = endpoint.tls_config(tls)?.connect().await?;
    Ok(BlindcoreClient::new(channel))
}

pub(crate) async fn connect(port: u16, directory: &Path) -> Client {
    connect_as(port, directory, Some(directory)).await.unwrap()
}

/// Somebody with keys, of a set without security.
pub(crate) struct Owner {
    secret: SecretKey,
    generator: Generator,
    pub(crate) server_key: Vec<u8>,
}

impl Owner {
    pub(crate) fn new(seed: u8) -> Owner {
        let mut generator = Generator::from_key([seed; 32]);
        let secret = SecretKey::generate(TOY_BLOCK, &mut generator).unwrap();
        let server = SeededServerKey::generate(&secret, &mut generator, 1, &|_, _| {}).unwrap();
        let server_key = wire::encode(&server).unwrap().to_vec();
        Owner {
            secret,
            generator,
            server_key,
        }
    }

    /// The public name of the key pair.
    pub(crate) fn key_id(&self) -> KeyId {
        self.secret.key_id()
    }

    /// A selector key, another one each time.
    pub(crate) fn selectors(&mut self) -> Vec<u8> {
        let Owner {
            secret, generator, ..
        } = self;
        let key = SeededLeveledKey::generate(secret, generator, 1, &|_, _| {}).unwrap();
        wire::encode(&key).unwrap().to_vec()
    }

    /// A job that runs a program from `entry` with these variables secret.
    pub(crate) fn job(
        &mut self,
        program: &[u8],
        entry: Option<&str>,
        values: &[(&str, &[i128])],
        change: impl FnOnce(&mut Task),
    ) -> Prepared {
        let loaded = Program::load(program).unwrap();
        let mut inputs = Vec::new();
        let mut variables = Vec::new();
        let mut bits = Vec::new();
        for (name, values) in values {
            let variable = loaded.variable(name).unwrap();
            let ty = variable.type_or_bytes();
            variables.push(wire::Variable {
                name: (*name).to_owned(),
                kind: ty.clone(),
            });
            bits.extend(bits_of(&ty.encode(values).unwrap()));
            inputs.push(Input {
                variable: variable.with_type(ty),
                content: Content::Secret,
            });
        }
        let encrypted = self.secret.encrypt(&bits, &mut self.generator);
        let file = Inputs::new(variables, encrypted).unwrap();
        let mut task = Task {
            entry: entry.map_or(Entry::Default, |entry| Entry::Symbol(entry.to_owned())),
            inputs,
            ..Task::default()
        };
        change(&mut task);
        let places: Vec<usize> = (0..values.len()).collect();
        Prepared {
            program: program.to_vec(),
            inputs: wire::encode(&file).unwrap().to_vec(),
            key: self.server_key.clone(),
            selectors: None,
            task: task::to_message(&task, &places),
        }
    }

    /// The outputs' values, by name.
    pub(crate) fn decrypt(&self, outputs: &[u8]) -> Vec<(String, Vec<i128>)> {
        let outputs: Outputs = wire::decode(outputs).unwrap();
        let secret = self.secret.decrypt_shrunk(outputs.secret()).unwrap();
        let bits = outputs.merge(&secret).unwrap();
        let mut rest = bits.as_slice();
        let mut values = Vec::new();
        for variable in outputs.variables() {
            let ty = &variable.kind;
            let (own, after) = rest.split_at(ty.bits());
            rest = after;
            values.push((variable.name.clone(), ty.decode(&bytes_of(own))));
        }
        values
    }

    /// The bits of a question, decrypted.
    pub(crate) fn read_question(&self, question: &blindcore_service::proto::Question) -> Vec<i128> {
        let values = self.decrypt(&question.record);
        values.into_iter().flat_map(|(_, values)| values).collect()
    }
}

/// A job and its files.
#[derive(Clone)]
pub(crate) struct Prepared {
    pub(crate) program: Vec<u8>,
    pub(crate) inputs: Vec<u8>,
    pub(crate) key: Vec<u8>,
    pub(crate) selectors: Option<Vec<u8>>,
    pub(crate) task: blindcore_service::proto::Task,
}

impl Prepared {
    pub(crate) fn spec(&self, request: u8) -> JobSpec {
        JobSpec {
            request_id: vec![request; 16],
            name: format!("test {request}"),
            program: hash(&self.program),
            inputs: hash(&self.inputs),
            key: hash(&self.key),
            task: Some(self.task.clone()),
            threads: 0,
            selectors: self.selectors.as_deref().map_or(Vec::new(), hash),
        }
    }

    pub(crate) async fn upload(&self, client: &mut Client) {
        let always = [
            (BlobKind::Program, &self.program),
            (BlobKind::Inputs, &self.inputs),
            (BlobKind::ServerKey, &self.key),
        ];
        let selectors = self.selectors.iter();
        let selectors = selectors.map(|bytes| (BlobKind::SelectorKey, bytes));
        for (kind, bytes) in always.into_iter().chain(selectors) {
            upload(client, kind, bytes).await.unwrap();
        }
    }

    pub(crate) async fn submit(&self, client: &mut Client, request: u8) -> String {
        self.upload(client).await;
        let job = client.submit(self.spec(request)).await.unwrap();
        job.into_inner().id
    }
}

pub(crate) fn hash(bytes: &[u8]) -> Vec<u8> {
    blake3::hash(bytes).as_bytes().to_vec()
}

pub(crate) fn header(kind: BlobKind, bytes: &[u8]) -> BlobHeader {
    BlobHeader {
        kind: kind as i32,
        blake3: hash(bytes),
        length: bytes.len() as u64,
    }
}

/// The messages of an upload.
pub(crate) fn chunks(header: BlobHeader, bytes: &[u8]) -> Vec<Chunk> {
    let mut parts = vec![Part::Header(header)];
    parts.extend(bytes.chunks(100_000).map(|data| Part::Data(data.to_vec())));
    let chunk = |part| Chunk { part: Some(part) };
    parts.into_iter().map(chunk).collect()
}

pub(crate) async fn send(client: &mut Client, chunks: Vec<Chunk>) -> Result<Blob, Status> {
    let stream = tokio_stream::iter(chunks);
    client.upload(stream).await.map(tonic::Response::into_inner)
}

pub(crate) async fn upload(
    client: &mut Client,
    kind: BlobKind,
    bytes: &[u8],
) -> Result<Blob, Status> {
    send(client, chunks(header(kind, bytes), bytes)).await
}

pub(crate) async fn status(client: &mut Client, id: &str) -> JobStatus {
    let id = JobId { id: id.to_owned() };
    client.status(id).await.unwrap().into_inner()
}

/// The status once it satisfies a condition.
pub(crate) async fn until(
    client: &mut Client,
    id: &str,
    wanted: impl Fn(&JobStatus) -> bool,
) -> JobStatus {
    let begin = Instant::now();
    loop {
        let status = status(client, id).await;
        if wanted(&status) {
            return status;
        }
        assert!(begin.elapsed() < Duration::from_secs(120), "{status:?}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

pub(crate) fn ended(status: &JobStatus) -> bool {
    let ends = [JobState::Done, JobState::Failed, JobState::Cancelled];
    ends.contains(&status.state())
}

/// The outputs file of a job.
pub(crate) async fn fetch(client: &mut Client, id: &str) -> Result<Vec<u8>, Status> {
    let request = FetchRequest {
        id: id.to_owned(),
        part: blindcore_service::proto::Part::Outputs as i32,
    };
    let mut stream = client.fetch(request).await?.into_inner();
    let mut announced = None;
    let mut bytes = Vec::new();
    while let Some(chunk) = stream.message().await? {
        match chunk.part.unwrap() {
            Part::Header(header) => announced = Some(header),
            Part::Data(data) => bytes.extend(data),
        }
    }
    let announced = announced.unwrap();
    assert_eq!(announced, header(BlobKind::Outputs, &bytes));
    Ok(bytes)
}

/// The salaries of the example, and what the program makes of them.
pub(crate) fn salaries(owner: &mut Owner, window: usize) -> Prepared {
    let values: &[(&str, &[i128])] = &[
        ("salary", &[4200, 9100, 3100, 5000, 7777, 1, 2, 3]),
        ("count", &[5]),
    ];
    owner.job(SALARIES, None, values, |task| task.limits.window = window)
}

pub(crate) fn check_salaries(owner: &Owner, outputs: &[u8]) {
    let mut values = owner.decrypt(outputs);
    values.sort();
    let total = 4200 + 9100 + 3100 + 5000 + 7777;
    let expected = [("highest", 9100), ("mean", total / 5), ("total", total)];
    let expected = expected.map(|(name, value)| (name.to_owned(), vec![value]));
    assert_eq!(values, expected);
}

/// A cipher with a window of few nodes: many checkpoints. Its key is left to be zero.
pub(crate) fn cipher(owner: &mut Owner) -> Prepared {
    let values: &[(&str, &[i128])] = &[("plain", &[0x4142_4344, 0x4546_4748])];
    let mut job = owner.job(XTEA, None, values, |task| task.limits.window = 64);
    job.task.default_zero = true;
    job
}

/// XTEA of that block under the zero key, by the definition.
pub(crate) fn enciphered() -> Vec<i128> {
    let (mut v0, mut v1, mut sum) = (0x4142_4344_u32, 0x4546_4748_u32, 0_u32);
    let mix = |v: u32| ((v << 4) ^ (v >> 5)).wrapping_add(v);
    for _ in 0..32 {
        v0 = v0.wrapping_add(mix(v1) ^ sum);
        sum = sum.wrapping_add(0x9e37_79b9);
        v1 = v1.wrapping_add(mix(v0) ^ sum);
    }
    vec![v0.into(), v1.into()]
}
