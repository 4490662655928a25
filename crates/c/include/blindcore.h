/* Blindcore for C: run ordinary programs on data that nobody but you can read.
 *
 * A program is compiled for ARM. You encrypt its inputs under a key that never leaves your machine,
 * hand program and ciphertexts to a computer that you do not trust, and decrypt the answer.
 *
 * Functions return BLINDCORE_STATUS_OK, or what went wrong: the exit code of the command `blindcore`,
 * with words in blindcore_last_error(). Texts end with a zero and are UTF-8; no pointer may be null
 * unless its function says so. What a function gives has a function that frees it. Several threads may
 * use one object at once where it is const.
 *
 * Made from Rust by cbindgen: change it there. */

#ifndef BLINDCORE_H
#define BLINDCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How a call ended: the exit code of the command `blindcore` for it.
typedef enum BlindcoreStatus {
  // All is well.
  BLINDCORE_STATUS_OK = 0,
  // A defect in Blindcore itself: please report it.
  BLINDCORE_STATUS_INTERNAL = 1,
  // What is asked for does not exist or does not go together; a pointer is null.
  BLINDCORE_STATUS_USAGE = 2,
  // A value does not fit its variable, or a name is unknown.
  BLINDCORE_STATUS_INPUT = 3,
  // A file is not ours, of the wrong kind, truncated, over-long or corrupted.
  BLINDCORE_STATUS_FILE = 4,
  // Key and file do not belong together, or have different parameters.
  BLINDCORE_STATUS_KEY = 5,
  // The program is no A32 ELF that can be loaded, and no right HE assembly.
  BLINDCORE_STATUS_PROGRAM = 6,
  // The program did what no program may: bad memory access, unknown instruction.
  BLINDCORE_STATUS_FAULT = 7,
  // The program exceeded its limit of instructions, or is too deep for a scheme.
  BLINDCORE_STATUS_LIMIT = 8,
  // The program branches on, or addresses memory by, a secret.
  BLINDCORE_STATUS_SECRET = 9,
  // The operating system refused to read or write a file.
  BLINDCORE_STATUS_IO = 10,
  // A question of the program is not answered.
  BLINDCORE_STATUS_ANSWER = 15,
  // A secret key's passphrase is missing, wrong or unusable.
  BLINDCORE_STATUS_PASSPHRASE = 17,
  // The caller's function said that the work was to end.
  BLINDCORE_STATUS_INTERRUPTED = 130,
} BlindcoreStatus;

// Decrypted values of variables: of one row, or of the rows of a table.
typedef struct BlindcoreAnswer BlindcoreAnswer;

// Bytes that this library made.
typedef struct BlindcoreBytes BlindcoreBytes;

// Encrypted values of variables: what a program takes.
typedef struct BlindcoreInputs BlindcoreInputs;

// Encrypted values of variables: what a program left.
typedef struct BlindcoreOutputs BlindcoreOutputs;

// What a run would cost and reveal.
typedef struct BlindcorePlan BlindcorePlan;

// A program that the processor executes, and how: which variables are secret, where it begins.
typedef struct BlindcoreProgram BlindcoreProgram;

// A public key: it encrypts, and reads nothing.
typedef struct BlindcorePublicKey BlindcorePublicKey;

// A secret key: it encrypts and decrypts, and never leaves its owner's machine.
typedef struct BlindcoreSecretKey BlindcoreSecretKey;

// A server key: it computes, and reads nothing.
typedef struct BlindcoreServerKey BlindcoreServerKey;

// Values of variables, by their names: what is encrypted, or what everybody may know.
typedef struct BlindcoreValues BlindcoreValues;

// What a run would cost on this machine.
typedef struct BlindcoreCost {
  // Bootstraps: what takes the time.
  uint64_t bootstraps;
  // How many of them follow on one another.
  uint64_t depth;
  // About how many seconds.
  double seconds;
  // Bytes of memory, key included.
  uint64_t memory;
  // Whether a run would come to its end: nothing in the program is refused.
  bool runnable;
} BlindcoreCost;

// How far a run is: `done` of `total` operations of its circuits, of which a table has as many for every batch of
// rows. Returns 0 to go on, anything else to end the run. It is called on the caller's thread, about
// twenty times a second.
typedef int (*BlindcoreProgressFunction)(void *context, uint64_t done, uint64_t total);

// Whether a question about a secret is answered: anything but 0 allows it. `site` says where the program
// asks, `asks` is "condition", "operands" or "target", `bits` is how many bits an answer reveals to the
// computer that runs the program. It is called on a thread of the run, once at a time; the texts are
// there during the call.
typedef int (*BlindcoreDecideFunction)(void *context,
                                       const char *site,
                                       const char *asks,
                                       uint64_t bits);

// How to run. With all of it zero: on all threads, within a gigabyte, silently.
typedef struct BlindcoreRunOptions {
  // Threads; 0 for all that the machine has.
  size_t threads;
  // Bytes of memory that the run takes at most: one that needs more is refused. With 0 it keeps
  // below a gigabyte where it can.
  uint64_t memory;
  // A file in which to keep how far the run is, or null. A run of the same program on the same
  // inputs that finds one there goes on from it; it is removed at the end. TFHE only.
  const char *checkpoint;
  // Who is told, or null.
  BlindcoreProgressFunction progress;
  // What that function and `decide` get.
  void *context;
  // A secret key that answers what a program of `blindcore_program_ask` asks, or null: for tests and
  // demonstrations, where one process plays both parts. TFHE only.
  const struct BlindcoreSecretKey *answer_with;
  // Who decides about each question; with `answer_with` it must be there.
  BlindcoreDecideFunction decide;
  // A file that counts what answers revealed, over all runs; with `answer_with` it must be there.
  const char *ledger;
  // Bits that the answers of this run reveal at most; 0 for 256.
  uint64_t max_bits;
} BlindcoreRunOptions;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// How many rows there are: 1, unless they are of a table. 0 for a null pointer.
size_t blindcore_answer_rows(const struct BlindcoreAnswer *answer);

// The name of variable number `index`, from 0, which lives as long as the answer; null if there are
// not so many.
const char *blindcore_answer_name(const struct BlindcoreAnswer *answer, size_t index);

// Elements of a variable as numbers that are not below 0; `count` may be null. With less room than
// elements nothing is written but the count, and the call is refused.
enum BlindcoreStatus blindcore_answer_unsigned(const struct BlindcoreAnswer *answer,
                                               size_t row,
                                               const char *name,
                                               uint64_t *into,
                                               size_t capacity,
                                               size_t *count);

// The same as numbers that may be below 0.
enum BlindcoreStatus blindcore_answer_signed(const struct BlindcoreAnswer *answer,
                                             size_t row,
                                             const char *name,
                                             int64_t *into,
                                             size_t capacity,
                                             size_t *count);

// The same for a floating-point type.
enum BlindcoreStatus blindcore_answer_real(const struct BlindcoreAnswer *answer,
                                           size_t row,
                                           const char *name,
                                           double *into,
                                           size_t capacity,
                                           size_t *count);

// Frees an answer. Null is nothing to free.
void blindcore_answer_free(struct BlindcoreAnswer *answer);

// Points to the bytes, which live as long as the object.
enum BlindcoreStatus blindcore_bytes_data(const struct BlindcoreBytes *object,
                                          const uint8_t **bytes,
                                          size_t *length);

// Frees bytes. Null is nothing to free.
void blindcore_bytes_free(struct BlindcoreBytes *object);

// Reads a file of inputs.
enum BlindcoreStatus blindcore_inputs_open(const char *path, struct BlindcoreInputs **inputs);

// Takes over the bytes of a file of inputs, which are checked when they are used.
enum BlindcoreStatus blindcore_inputs_from_bytes(const uint8_t *bytes,
                                                 size_t length,
                                                 struct BlindcoreInputs **inputs);

// Points to the bytes of inputs, to send or to keep. They live as long as the inputs.
enum BlindcoreStatus blindcore_inputs_bytes(const struct BlindcoreInputs *inputs,
                                            const uint8_t **bytes,
                                            size_t *length);

// Writes a file, which appears whole or not at all and replaces only one of its kind.
enum BlindcoreStatus blindcore_inputs_save(const struct BlindcoreInputs *inputs, const char *path);

// Frees inputs. Null is nothing to free.
void blindcore_inputs_free(struct BlindcoreInputs *inputs);

// Reads a file of outputs.
enum BlindcoreStatus blindcore_outputs_open(const char *path, struct BlindcoreOutputs **outputs);

// Takes over the bytes of a file of outputs, which are checked when they are used.
enum BlindcoreStatus blindcore_outputs_from_bytes(const uint8_t *bytes,
                                                  size_t length,
                                                  struct BlindcoreOutputs **outputs);

// Points to the bytes of outputs, to send or to keep. They live as long as the outputs.
enum BlindcoreStatus blindcore_outputs_bytes(const struct BlindcoreOutputs *outputs,
                                             const uint8_t **bytes,
                                             size_t *length);

// Writes a file, which appears whole or not at all and replaces only one of its kind.
enum BlindcoreStatus blindcore_outputs_save(const struct BlindcoreOutputs *outputs,
                                            const char *path);

// Frees outputs. Null is nothing to free.
void blindcore_outputs_free(struct BlindcoreOutputs *outputs);

// Makes keys on which any program runs, with 128 bits of security. `parameters` is null for the
// default, "p16", or "p16-uniform", the conservative choice, about three times slower. Takes about
// a second. Free each with its function.
enum BlindcoreStatus blindcore_keys_generate(const char *parameters,
                                             struct BlindcoreSecretKey **secret,
                                             struct BlindcorePublicKey **public_,
                                             struct BlindcoreServerKey **server);

// Makes keys of BGV for tables of `rows` rows on which this program will run: its depth decides the
// parameters.
enum BlindcoreStatus blindcore_keys_for_table(const struct BlindcoreProgram *program,
                                              size_t rows,
                                              struct BlindcoreSecretKey **secret,
                                              struct BlindcorePublicKey **public_,
                                              struct BlindcoreServerKey **server);

// Reads a secret key's file, and opens it with the passphrase if it is behind one; else that is null.
enum BlindcoreStatus blindcore_secret_key_open(const char *path,
                                               const char *passphrase,
                                               struct BlindcoreSecretKey **key);

// Writes a secret key's file, which its owner alone may read, behind a passphrase unless that is
// null. A file that exists is left alone.
enum BlindcoreStatus blindcore_secret_key_save(const struct BlindcoreSecretKey *key,
                                               const char *path,
                                               const char *passphrase);

// Encrypts values of the program's variables.
enum BlindcoreStatus blindcore_secret_key_encrypt(const struct BlindcoreSecretKey *key,
                                                  const struct BlindcoreProgram *program,
                                                  const struct BlindcoreValues *values,
                                                  struct BlindcoreInputs **inputs);

// Encrypts a table of BGV: a CSV file whose header names variables.
enum BlindcoreStatus blindcore_secret_key_encrypt_table(const struct BlindcoreSecretKey *key,
                                                        const struct BlindcoreProgram *program,
                                                        const char *path,
                                                        struct BlindcoreInputs **inputs);

// Decrypts what a program left. Free the answer with `blindcore_answer_free`.
enum BlindcoreStatus blindcore_secret_key_decrypt(const struct BlindcoreSecretKey *key,
                                                  const struct BlindcoreOutputs *outputs,
                                                  struct BlindcoreAnswer **answer);

// Frees a secret key, and wipes its memory. Null is nothing to free.
void blindcore_secret_key_free(struct BlindcoreSecretKey *key);

// Reads a public key's file.
enum BlindcoreStatus blindcore_public_key_open(const char *path, struct BlindcorePublicKey **key);

// Writes a public key's file. A file that exists is left alone.
enum BlindcoreStatus blindcore_public_key_save(const struct BlindcorePublicKey *key,
                                               const char *path);

// Encrypts values of the program's variables, which the key's owner alone can read.
enum BlindcoreStatus blindcore_public_key_encrypt(const struct BlindcorePublicKey *key,
                                                  const struct BlindcoreProgram *program,
                                                  const struct BlindcoreValues *values,
                                                  struct BlindcoreInputs **inputs);

// Frees a public key. Null is nothing to free.
void blindcore_public_key_free(struct BlindcorePublicKey *key);

// Reads a server key's file, and its second part, which makes selections fast, if there is one beside
// it: NAME.selectors beside NAME.server.
enum BlindcoreStatus blindcore_server_key_open(const char *path,
                                               struct BlindcoreServerKey **key);

// Reads the bytes of a server key's file: its first part, with which everything runs, if not as fast.
enum BlindcoreStatus blindcore_server_key_from_bytes(const uint8_t *bytes,
                                                     size_t length,
                                                     struct BlindcoreServerKey **key);

// The bytes of a server key's file, its first part, some 30 MB. Free them with `blindcore_bytes_free`.
enum BlindcoreStatus blindcore_server_key_bytes(const struct BlindcoreServerKey *key,
                                                struct BlindcoreBytes **bytes);

// Writes a server key's file, and if that is called NAME.server its second part as NAME.selectors.
// Files that exist are left alone.
enum BlindcoreStatus blindcore_server_key_save(const struct BlindcoreServerKey *key,
                                               const char *path);

// Frees a server key. Null is nothing to free.
void blindcore_server_key_free(struct BlindcoreServerKey *key);

// The numbers of a plan.
enum BlindcoreStatus blindcore_plan_cost(const struct BlindcorePlan *plan,
                                         struct BlindcoreCost *cost);

// The plan for people, in several lines: with it, what the program does that is refused, and where.
// The text lives as long as the plan. Null for a null pointer.
const char *blindcore_plan_text(const struct BlindcorePlan *plan);

// Frees a plan. Null is nothing to free.
void blindcore_plan_free(struct BlindcorePlan *plan);

// Reads a program: an ELF file of an ARM compiler, a C file, which is compiled, or HE assembly.
enum BlindcoreStatus blindcore_program_open(const char *path, struct BlindcoreProgram **program);

// The program of these bytes, an ELF file's or a text in HE assembly. Messages call it `name`.
enum BlindcoreStatus blindcore_program_from_bytes(const char *name,
                                                  const uint8_t *bytes,
                                                  size_t length,
                                                  struct BlindcoreProgram **program);

// Compiles a C file with `count` options, such as "-DN=8".
enum BlindcoreStatus blindcore_program_compile(const char *path,
                                               const char *const *options,
                                               size_t count,
                                               struct BlindcoreProgram **program);

// One more variable whose value will be encrypted, `NAME` or `NAME:TYPE`.
enum BlindcoreStatus blindcore_program_secret(struct BlindcoreProgram *program, const char *name);

// Gives variables values that everybody may know; the program's work on them costs nothing.
enum BlindcoreStatus blindcore_program_public(struct BlindcoreProgram *program,
                                              const struct BlindcoreValues *values);

// One more variable that is wanted, `NAME` or `NAME:TYPE`. Without any, all that the program wrote.
enum BlindcoreStatus blindcore_program_output(struct BlindcoreProgram *program, const char *name);

// Calls a function instead of `main`: "score(income, 25)". Names of arguments are secrets; the
// result is an output under the function's name.
enum BlindcoreStatus blindcore_program_call(struct BlindcoreProgram *program, const char *function);

// Begins at a function or label instead of `main`.
enum BlindcoreStatus blindcore_program_entry(struct BlindcoreProgram *program, const char *symbol);

// Where the program branches on a secret, executes both paths and selects the right one's results, if
// they rejoin within `limit` instructions together (0: 100,000). Without this such a run is refused,
// with the source's line.
enum BlindcoreStatus blindcore_program_execute_both(struct BlindcoreProgram *program,
                                                    uint64_t limit);

// Where the program branches on a secret, a run asks whoever holds the secret key, who learns the site
// and whose answer the computer that runs it learns: `answer_with` of the run's options. Before that
// both paths are executed, if they rejoin within `limit` instructions together; 0 asks at once.
enum BlindcoreStatus blindcore_program_ask(struct BlindcoreProgram *program,
                                           uint64_t limit);

// The most instructions that a run may execute; without this a hundred million.
enum BlindcoreStatus blindcore_program_limit(struct BlindcoreProgram *program,
                                             uint64_t instructions);

// What a run would cost and reveal with the default parameters on `threads` threads of this
// machine (0: all), which is measured for a moment. Free it with `blindcore_plan_free`.
enum BlindcoreStatus blindcore_program_plan(const struct BlindcoreProgram *program,
                                            size_t threads,
                                            struct BlindcorePlan **plan);

// Runs on clear values, without keys: the circuits that a run would evaluate, compared after every
// instruction with a plain interpreter. Free the answer with `blindcore_answer_free`.
enum BlindcoreStatus blindcore_program_simulate(const struct BlindcoreProgram *program,
                                                const struct BlindcoreValues *values,
                                                struct BlindcoreAnswer **answer);

// Frees a program. Null is nothing to free.
void blindcore_program_free(struct BlindcoreProgram *program);

// Runs a program on encrypted inputs, and needs nothing secret for it. `options` may be null. Free
// the outputs with `blindcore_outputs_free`.
enum BlindcoreStatus blindcore_program_run(const struct BlindcoreProgram *program,
                                           const struct BlindcoreServerKey *key,
                                           const struct BlindcoreInputs *inputs,
                                           const struct BlindcoreRunOptions *options,
                                           struct BlindcoreOutputs **outputs);

// One line about the last call of this thread that did not end well: what, where, and what to do
// next. Empty if there was none. It is there until another call of this thread ends badly.
const char *blindcore_last_error(void);

// The version of this library, such as "0.1.0".
const char *blindcore_version(void);

// No values yet. Free them with `blindcore_values_free`.
enum BlindcoreStatus blindcore_values_new(struct BlindcoreValues **values);

// Gives a variable a number. Whether it fits the variable's type is checked when it is used.
enum BlindcoreStatus blindcore_values_set_unsigned(struct BlindcoreValues *values,
                                                   const char *name,
                                                   uint64_t value);

// Gives a variable a number that may be below 0.
enum BlindcoreStatus blindcore_values_set_signed(struct BlindcoreValues *values,
                                                 const char *name,
                                                 int64_t value);

// Gives a variable of a floating-point type a number.
enum BlindcoreStatus blindcore_values_set_real(struct BlindcoreValues *values,
                                               const char *name,
                                               double value);

// Gives an array of characters a text.
enum BlindcoreStatus blindcore_values_set_text(struct BlindcoreValues *values,
                                               const char *name,
                                               const char *value);

// Gives an array its first `count` elements; the others are 0.
enum BlindcoreStatus blindcore_values_set_unsigned_array(struct BlindcoreValues *values,
                                                         const char *name,
                                                         const uint64_t *elements,
                                                         size_t count);

// Gives an array its first `count` elements, which may be below 0.
enum BlindcoreStatus blindcore_values_set_signed_array(struct BlindcoreValues *values,
                                                       const char *name,
                                                       const int64_t *elements,
                                                       size_t count);

// Gives an array of a floating-point type its first `count` elements.
enum BlindcoreStatus blindcore_values_set_real_array(struct BlindcoreValues *values,
                                                     const char *name,
                                                     const double *elements,
                                                     size_t count);

// Frees values. Null is nothing to free. Secrets in them are ordinary memory: they are not wiped.
void blindcore_values_free(struct BlindcoreValues *values);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* BLINDCORE_H */
