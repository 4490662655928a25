//! Dimension 2048: the paper's.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use blindcore_gentry_halevi::{Encryptor, Evaluator, Parameters, SecretKey, Transforms};
use random::Generator;

/// (h), and a chain of recrypted ANDs.
#[test]
#[ignore = "keys of 786,432 bits and 11 recryptions, 15 s"]
fn five_recrypted_ands_in_a_chain() {
    let two = NonZeroUsize::new(2).unwrap();
    let mut generator = Generator::from_key([50; 32]);
    let (secret, public) =
        SecretKey::generate(Parameters::BROKEN_2048, &mut generator, two, &|_| {
            ControlFlow::Continue(())
        })
        .unwrap();
    public.verify().unwrap();
    let limbs = public.residue_limbs();
    assert!((12_257..=12_288).contains(&limbs), "{limbs}");
    assert_eq!(public.limbs().len(), 707 * limbs);

    let encryptor = Encryptor::new(&public, Encryptor::MEMORY, two).unwrap();
    let evaluator = Evaluator::new(&public, Transforms::Kept, two).unwrap();
    let bits = [true, true, true, true, true, false];
    let fresh = encryptor.encrypt(&bits, &mut generator).unwrap();
    let mut value = evaluator.recrypt(&fresh[0]).unwrap();
    for (ciphertext, &bit) in fresh[1..].iter().zip(&bits[1..]) {
        let recrypted = evaluator.recrypt(ciphertext).unwrap();
        let product = evaluator.and(&value, &recrypted).unwrap();
        assert_eq!(secret.decrypt(&product), Ok(bit));
        let margin = secret.margin(&product).unwrap();
        let bound = evaluator.margin_bound(&product);
        assert!(margin >= bound && margin < bound + 40.0, "{margin} {bound}");
        value = evaluator.recrypt(&product).unwrap();
        assert_eq!(secret.decrypt(&value), Ok(bit));
        let margin = secret.margin(&value).unwrap();
        assert!((205.0..235.0).contains(&margin), "{margin}");
    }
}
