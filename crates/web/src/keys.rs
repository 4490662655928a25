//! Keys: the owner's, and the public one.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use js_sys::{Function, Map, Uint8Array};
use session::owner::{self, Decrypted};
use session::program::Row;
use session::{Control, Error, ErrorKind, Progress};
use wasm_bindgen::prelude::*;
use wire::{Containers, Cost, Passphrase, Record, WireError};
use zeroize::Zeroizing;

use crate::answers;
use crate::errors::OrThrow;
use crate::given::assignments;
use crate::program::NativeProgram;

/// What messages call a key's file.
const SECRET_KEY: &str = "the secret key";
const PUBLIC_KEY: &str = "the public key";

/// The key that encrypts and decrypts. The class `Key` of `js/client.js` is in front of it. `free`
/// erases it.
#[wasm_bindgen]
pub struct NativeSecretKey(tfhe::SecretKey);

/// The key that encrypts and reads nothing.
#[wasm_bindgen]
pub struct NativePublicKey(tfhe::PublicKey);

thread_local! {
    /// Who watches while a key is made: the library's watchers may be called from any thread, and
    /// a function of JavaScript belongs to one.
    static WATCHER: RefCell<Option<Function>> = const { RefCell::new(None) };
}

fn file(name: &str, error: &WireError) -> Error {
    Error::file(Path::new(name), error)
}

fn encoded(name: &str, record: &impl Record) -> Result<Uint8Array, JsValue> {
    let bytes = wire::encode(record);
    let bytes = bytes.map_err(|error| file(name, &error)).or_throw()?;
    Ok(Uint8Array::from(&bytes[..]))
}

fn passphrase_of(text: String) -> Result<Passphrase, Error> {
    let passphrase = Passphrase::new(text.into_bytes().into());
    passphrase.map_err(|error| file(SECRET_KEY, &error))
}

#[wasm_bindgen]
impl NativeSecretKey {
    /// Makes a key with the parameters of this name.
    ///
    /// # Errors
    /// For other names, and where the browser has no randomness.
    pub fn generate(parameters: &str) -> Result<NativeSecretKey, JsValue> {
        let parameters = match parameters {
            "p16" => Ok(tfhe::P16),
            "p16-uniform" => Ok(tfhe::P16_UNIFORM),
            other => {
                let message = format!("{other}: no such parameters; there are p16 and p16-uniform");
                Err(Error::new(ErrorKind::Usage, message))
            }
        };
        let key = parameters.and_then(owner::generate_secret_key);
        key.map(Self).or_throw()
    }

    /// The key of these bytes, which are those of its file.
    ///
    /// # Errors
    /// For what is none, or damaged; for a passphrase that is missing or wrong.
    #[wasm_bindgen(js_name = fromBytes)]
    pub fn from_bytes(
        bytes: Vec<u8>,
        passphrase: Option<String>,
    ) -> Result<NativeSecretKey, JsValue> {
        // The glue's copy, which nobody else erases.
        let bytes = Zeroizing::new(bytes);
        let given = || match passphrase {
            None => Err(file(SECRET_KEY, &WireError::Protected)),
            Some(text) => passphrase_of(text),
        };
        let key = owner::open_tfhe(Path::new(SECRET_KEY), &bytes, given);
        key.map(Self).or_throw()
    }

    /// The bytes of its file, behind a passphrase if there is one.
    ///
    /// # Errors
    /// For a passphrase that is unusable.
    #[wasm_bindgen(js_name = toBytes)]
    pub fn to_bytes(&self, passphrase: Option<String>) -> Result<Uint8Array, JsValue> {
        let Some(text) = passphrase else {
            return encoded(SECRET_KEY, &self.0);
        };
        let passphrase = passphrase_of(text).or_throw()?;
        let bytes = wire::encode(&self.0)
            .and_then(|open| wire::protect(&open, &passphrase, Cost::RFC_9106_SECOND));
        let bytes = bytes.map_err(|error| file(SECRET_KEY, &error)).or_throw()?;
        Ok(Uint8Array::from(&bytes[..]))
    }

    /// The key pair that it belongs to.
    #[must_use]
    pub fn id(&self) -> String {
        self.0.key_id().to_string()
    }

    /// Makes a server key; `progress` is called with a number up to 1.
    ///
    /// # Errors
    /// Where the browser has no randomness.
    #[wasm_bindgen(js_name = serverKey)]
    pub fn server_key(&self, progress: Option<Function>) -> Result<Uint8Array, JsValue> {
        let key = watched(progress, |control| {
            owner::generate_server_key(&self.0, control)
        });
        encoded("the server key", &key.or_throw()?)
    }

    /// Makes the server key's second part, which makes choices and tables cheap; `progress` as for the
    /// first.
    ///
    /// # Errors
    /// Where the browser has no randomness, and for parameters that have no such part.
    #[wasm_bindgen(js_name = selectorKey)]
    pub fn selector_key(&self, progress: Option<Function>) -> Result<Uint8Array, JsValue> {
        let key = watched(progress, |control| {
            owner::generate_selectors(&self.0, control)
        });
        encoded("the selector key", &key.or_throw()?)
    }

    /// Makes a public key.
    ///
    /// # Errors
    /// Where the browser has no randomness.
    #[wasm_bindgen(js_name = publicKey)]
    pub fn public_key(&self) -> Result<NativePublicKey, JsValue> {
        let key = owner::generate_public_key(&self.0);
        key.map(NativePublicKey).or_throw()
    }

    /// Encrypts values of the program's variables.
    ///
    /// # Errors
    /// For values that do not fit.
    pub fn encrypt(&self, program: &NativeProgram, values: &JsValue) -> Result<Vec<u8>, JsValue> {
        let Row {
            variables, bits, ..
        } = row(program, values)?;
        let inputs = owner::encrypt_tfhe(&self.0, &variables, &bits).or_throw()?;
        Ok(inputs.to_vec())
    }

    /// Decrypts what a program left, or what was encrypted: a map from names to values.
    ///
    /// # Errors
    /// For ciphertexts of another key, and damaged ones.
    pub fn decrypt(&self, outputs: &[u8]) -> Result<Map<JsValue, JsValue>, JsValue> {
        let mut rows: Vec<Decrypted> = Vec::new();
        let source = Containers::new(outputs);
        let decrypted = owner::decrypt_tfhe(&self.0, "the outputs", source, &mut |row| {
            rows.push(row);
            Ok(())
        });
        decrypted.or_throw()?;
        answers::map(&rows)
    }
}

#[wasm_bindgen]
impl NativePublicKey {
    /// The key of these bytes, which are those of its file.
    ///
    /// # Errors
    /// For what is none, or damaged.
    #[wasm_bindgen(js_name = fromBytes)]
    pub fn from_bytes(bytes: &[u8]) -> Result<NativePublicKey, JsValue> {
        let key = wire::decode(bytes).map_err(|error| file(PUBLIC_KEY, &error));
        key.map(Self).or_throw()
    }

    /// The bytes of its file.
    ///
    /// # Errors
    /// For a defect.
    #[wasm_bindgen(js_name = toBytes)]
    pub fn to_bytes(&self) -> Result<Uint8Array, JsValue> {
        encoded(PUBLIC_KEY, &self.0)
    }

    /// The key pair that it belongs to.
    #[must_use]
    pub fn id(&self) -> String {
        self.0.key_id().to_string()
    }

    /// Encrypts values of the program's variables.
    ///
    /// # Errors
    /// For values that do not fit.
    pub fn encrypt(&self, program: &NativeProgram, values: &JsValue) -> Result<Vec<u8>, JsValue> {
        let Row {
            variables, bits, ..
        } = row(program, values)?;
        let inputs = owner::encrypt_tfhe_public(&self.0, &variables, &bits).or_throw()?;
        Ok(inputs.to_vec())
    }
}

/// Values as the bits of variables.
fn row(program: &NativeProgram, values: &JsValue) -> Result<Row, JsValue> {
    let NativeProgram { program, call } = program;
    let assignments = assignments(values)?;
    let row = program
        .take_apart(assignments)
        .and_then(|assignments| Row::new(program, &assignments, call.as_ref()));
    row.or_throw()
}

/// Makes a key, while a function of JavaScript hears how far it is.
fn watched<K>(progress: Option<Function>, make: impl FnOnce(&Control) -> K) -> K {
    let mut control = Control::default();
    if progress.is_some() {
        control.observer = Some(Arc::new(tell));
    }
    WATCHER.replace(progress);
    let key = make(&control);
    WATCHER.replace(None);
    key
}

fn tell(progress: Progress) {
    if let Progress::Keys { done, of } = progress {
        let part = done as f64 / of.max(1) as f64;
        WATCHER.with_borrow(|watcher| {
            // Whoever watches cannot stop it.
            let _ = watcher
                .as_ref()
                .map(|own| own.call1(&JsValue::NULL, &part.into()));
        });
    }
}
