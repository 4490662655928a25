/* Calls every function of the library: with what it takes, and with what it must refuse. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blindcore.h"

#define SAME(expression, wanted) same(__LINE__, #expression, (long long)(expression), (long long)(wanted))
#define FINE(expression) SAME(expression, BLINDCORE_STATUS_OK)

static void same(int line, const char *expression, long long found, long long wanted)
{
    if (found != wanted) {
        fprintf(stderr, "line %d: %s is %lld and not %lld: %s\n", line, expression, found, wanted,
                blindcore_last_error());
        exit(1);
    }
}

/* The last error says what and where. */
static void says(int line, const char *words)
{
    if (strstr(blindcore_last_error(), words) == NULL) {
        fprintf(stderr, "line %d: \"%s\" is not in \"%s\"\n", line, words, blindcore_last_error());
        exit(1);
    }
}
#define SAYS(words) says(__LINE__, words)

static int calls;

static int count_calls(void *context, uint64_t done, uint64_t total)
{
    SAME(context == &calls, 1);
    SAME(done <= total, 1);
    calls++;
    return 0;
}

static int stop(void *context, uint64_t done, uint64_t total)
{
    (void)context, (void)done, (void)total;
    return 1;
}

/* Numbers of every kind, without a key: what comes back is what went in, changed a little. */
static void values_of_every_kind(void)
{
    const char *text = ".bits 16\n.data age\nmain: LOAD R0, age\n ADD R0, R0, 1\n STORE R0, age";
    BlindcoreProgram *program;
    BlindcoreValues *values;
    BlindcoreAnswer *answer;
    uint64_t unsigned_ = 0;
    int64_t signed_ = 0;
    double real = 0;

    FINE(blindcore_program_from_bytes("older.hea", (const uint8_t *)text, strlen(text), &program));
    FINE(blindcore_program_secret(program, "age:i16"));
    FINE(blindcore_program_output(program, "age:i16"));
    FINE(blindcore_program_entry(program, "main"));
    FINE(blindcore_program_limit(program, 1000));
    FINE(blindcore_values_new(&values));
    FINE(blindcore_values_set_signed(values, "age", -5));
    FINE(blindcore_program_simulate(program, values, &answer));
    SAME(blindcore_answer_rows(answer), 1);
    SAME(strcmp(blindcore_answer_name(answer, 0), "age"), 0);
    SAME(blindcore_answer_name(answer, 1) == NULL, 1);
    FINE(blindcore_answer_signed(answer, 0, "age", &signed_, 1, NULL));
    SAME(signed_, -4);
    SAME(blindcore_answer_unsigned(answer, 0, "age", &unsigned_, 1, NULL), BLINDCORE_STATUS_INPUT);
    SAYS("age: a value of type i16 does not fit u64");
    SAME(blindcore_answer_real(answer, 0, "age", &real, 1, NULL), BLINDCORE_STATUS_INPUT);
    SAME(blindcore_answer_signed(answer, 1, "age", &signed_, 1, NULL), BLINDCORE_STATUS_INPUT);
    SAME(blindcore_answer_signed(answer, 0, "wage", &signed_, 1, NULL), BLINDCORE_STATUS_INPUT);
    SAME(blindcore_answer_signed(answer, 0, "age", NULL, 1, NULL), BLINDCORE_STATUS_INPUT);
    blindcore_answer_free(answer);
    blindcore_values_free(values);

    FINE(blindcore_values_new(&values));
    FINE(blindcore_values_set_unsigned(values, "age", 1));
    FINE(blindcore_values_set_text(values, "wage", "1"));
    SAME(blindcore_program_simulate(program, values, &answer), BLINDCORE_STATUS_INPUT);
    SAYS("wage");
    blindcore_values_free(values);
    SAME(blindcore_program_secret(program, "wage"), BLINDCORE_STATUS_INPUT);
    SAME(blindcore_program_call(program, "not a call("), BLINDCORE_STATUS_USAGE);
    blindcore_program_free(program);

    /* Reals and text have no program of assembly to go to: their types do not fit here. */
    FINE(blindcore_values_new(&values));
    const uint64_t numbers[] = {1, 2, 3};
    const int64_t below[] = {-1};
    const double reals[] = {0.5};
    FINE(blindcore_values_set_unsigned_array(values, "a", numbers, 3));
    FINE(blindcore_values_set_unsigned_array(values, "b", NULL, 0));
    FINE(blindcore_values_set_signed_array(values, "c", below, 1));
    FINE(blindcore_values_set_real_array(values, "d", reals, 1));
    FINE(blindcore_values_set_real(values, "e", 0.5));
    SAME(blindcore_values_set_unsigned_array(values, "f", NULL, 1), BLINDCORE_STATUS_USAGE);
    SAYS("elements: the pointer is null");
    SAME(blindcore_values_set_unsigned_array(values, "f", numbers, (size_t)-1), BLINDCORE_STATUS_USAGE);
    SAME(blindcore_values_set_text(values, "g", "\xff"), BLINDCORE_STATUS_USAGE);
    SAYS("not UTF-8");
    SAME(blindcore_values_set_text(values, "g", NULL), BLINDCORE_STATUS_USAGE);
    SAME(blindcore_values_set_unsigned(values, NULL, 1), BLINDCORE_STATUS_USAGE);
    SAME(blindcore_values_set_unsigned(NULL, "a", 1), BLINDCORE_STATUS_USAGE);
    SAYS("values: the pointer is null");
    blindcore_values_free(values);
    blindcore_values_free(NULL);
    SAME(blindcore_values_new(NULL), BLINDCORE_STATUS_USAGE);
}

/* What branches on a secret is refused, unless both paths are executed. */
static void branches(void)
{
    const char *text = ".bits 16\n.data a\nmain: LOAD R0, a\n MOV R1, 9\n CMP R0, 100\n B_LO end\n MOV R1, 4\nend: STORE R1, a";
    BlindcoreProgram *program;
    BlindcoreValues *values;
    BlindcoreAnswer *answer;
    BlindcorePlan *plan;
    BlindcoreCost cost;
    uint64_t a = 0;

    FINE(blindcore_program_from_bytes("branch.hea", (const uint8_t *)text, strlen(text), &program));
    FINE(blindcore_program_secret(program, "a"));
    FINE(blindcore_program_plan(program, 2, &plan));
    FINE(blindcore_plan_cost(plan, &cost));
    SAME(cost.runnable, 0);
    blindcore_plan_free(plan);
    FINE(blindcore_program_execute_both(program, 0));
    FINE(blindcore_program_plan(program, 2, &plan));
    FINE(blindcore_plan_cost(plan, &cost));
    SAME(cost.runnable, 1);
    SAME(cost.bootstraps > 0 && cost.depth > 0 && cost.seconds > 0 && cost.memory > 0, 1);
    SAME(strstr(blindcore_plan_text(plan), "bootstraps") != NULL, 1);
    SAME(blindcore_plan_cost(plan, NULL), BLINDCORE_STATUS_USAGE);
    SAME(blindcore_plan_cost(NULL, &cost), BLINDCORE_STATUS_USAGE);
    SAME(blindcore_plan_text(NULL) == NULL, 1);
    blindcore_plan_free(plan);
    blindcore_plan_free(NULL);
    for (uint64_t given = 99; given <= 100; given++) {
        FINE(blindcore_values_new(&values));
        FINE(blindcore_values_set_unsigned(values, "a", given));
        FINE(blindcore_program_simulate(program, values, &answer));
        FINE(blindcore_answer_unsigned(answer, 0, "a", &a, 1, NULL));
        SAME(a, given < 100 ? 9 : 4);
        blindcore_answer_free(answer);
        blindcore_values_free(values);
    }
    blindcore_program_free(program);

    /* What everybody may know costs nothing. */
    FINE(blindcore_program_from_bytes("branch.hea", (const uint8_t *)text, strlen(text), &program));
    FINE(blindcore_values_new(&values));
    FINE(blindcore_values_set_unsigned(values, "a", 7));
    FINE(blindcore_program_public(program, values));
    FINE(blindcore_program_plan(program, 2, &plan));
    FINE(blindcore_plan_cost(plan, &cost));
    SAME(cost.bootstraps, 0);
    SAME(blindcore_program_public(program, NULL), BLINDCORE_STATUS_USAGE);
    blindcore_plan_free(plan);
    blindcore_values_free(values);
    blindcore_program_free(program);
}

/* Keys, files and bytes, all the way from values to the answer. */
static void ciphertexts(const char *path)
{
    BlindcoreProgram *program;
    BlindcoreSecretKey *secret, *other, *again;
    BlindcorePublicKey *public_key, *other_public;
    BlindcoreServerKey *server, *other_server, *from_bytes;
    BlindcoreValues *values;
    BlindcoreInputs *inputs, *sent;
    BlindcoreOutputs *outputs, *returned;
    BlindcoreAnswer *answer;
    BlindcoreBytes *bytes;
    const uint8_t *data;
    size_t length, count;
    uint64_t total, salary[8];
    const uint64_t salaries[] = {10, 20};

    FINE(blindcore_program_open(path, &program));
    FINE(blindcore_program_secret(program, "salary"));
    FINE(blindcore_program_secret(program, "count"));
    FINE(blindcore_keys_generate(NULL, &secret, &public_key, &server));
    FINE(blindcore_keys_generate("p16", &other, &other_public, &other_server));
    SAME(blindcore_keys_generate("p17", &other, &other_public, &other_server), BLINDCORE_STATUS_USAGE);
    SAME(blindcore_keys_generate(NULL, NULL, &other_public, &other_server), BLINDCORE_STATUS_USAGE);

    FINE(blindcore_secret_key_save(secret, "mine.secret", "correct horse battery staple"));
    SAME(blindcore_secret_key_save(secret, "mine.secret", NULL), BLINDCORE_STATUS_IO);
    SAME(blindcore_secret_key_open("mine.secret", NULL, &again), BLINDCORE_STATUS_PASSPHRASE);
    SAME(blindcore_secret_key_open("mine.secret", "wrong", &again), BLINDCORE_STATUS_PASSPHRASE);
    FINE(blindcore_secret_key_open("mine.secret", "correct horse battery staple", &again));
    SAME(blindcore_secret_key_open("nowhere", NULL, &again), BLINDCORE_STATUS_IO);
    FINE(blindcore_public_key_save(public_key, "mine.public"));
    blindcore_public_key_free(public_key);
    FINE(blindcore_public_key_open("mine.public", &public_key));
    SAME(blindcore_public_key_open("mine.secret", &other_public), BLINDCORE_STATUS_FILE);
    FINE(blindcore_server_key_save(server, "mine.server"));
    FINE(blindcore_server_key_bytes(server, &bytes));
    FINE(blindcore_bytes_data(bytes, &data, &length));
    FINE(blindcore_server_key_from_bytes(data, length, &from_bytes));
    blindcore_server_key_free(from_bytes);
    SAME(blindcore_server_key_from_bytes(data, length - 1, &from_bytes), BLINDCORE_STATUS_FILE);
    SAME(blindcore_server_key_from_bytes(NULL, 1, &from_bytes), BLINDCORE_STATUS_USAGE);
    SAME(blindcore_bytes_data(bytes, NULL, &length), BLINDCORE_STATUS_USAGE);
    blindcore_bytes_free(bytes);
    blindcore_server_key_free(server);
    FINE(blindcore_server_key_open("mine.server", &server));

    FINE(blindcore_values_new(&values));
    FINE(blindcore_values_set_unsigned_array(values, "salary", salaries, 2));
    SAME(blindcore_public_key_encrypt(public_key, program, values, &inputs), BLINDCORE_STATUS_INPUT);
    FINE(blindcore_values_set_unsigned(values, "count", 2));
    FINE(blindcore_secret_key_encrypt(secret, program, values, &inputs));
    blindcore_inputs_free(inputs);
    FINE(blindcore_public_key_encrypt(public_key, program, values, &inputs));
    blindcore_values_free(values);
    FINE(blindcore_inputs_bytes(inputs, &data, &length));
    FINE(blindcore_inputs_from_bytes(data, length, &sent));
    blindcore_inputs_free(sent);
    SAME(blindcore_inputs_from_bytes(data, 3, &sent), BLINDCORE_STATUS_FILE);
    FINE(blindcore_inputs_save(inputs, "mine.inputs"));
    FINE(blindcore_inputs_open("mine.inputs", &sent));

    BlindcoreRunOptions options = {.threads = 2, .progress = count_calls, .context = &calls};
    options.checkpoint = "mine.checkpoint";
    options.memory = 2000000000;
    SAME(blindcore_program_run(program, other_server, sent, NULL, &outputs), BLINDCORE_STATUS_KEY);
    SAME(blindcore_program_run(NULL, server, sent, NULL, &outputs), BLINDCORE_STATUS_USAGE);
    SAYS("program: the pointer is null");
    options.progress = stop;
    SAME(blindcore_program_run(program, server, sent, &options, &outputs), BLINDCORE_STATUS_INTERRUPTED);
    options.progress = count_calls;
    FINE(blindcore_program_run(program, server, sent, &options, &outputs));
    SAME(calls > 0, 1);

    FINE(blindcore_outputs_bytes(outputs, &data, &length));
    FINE(blindcore_outputs_from_bytes(data, length, &returned));
    FINE(blindcore_outputs_save(outputs, "mine.outputs"));
    blindcore_outputs_free(returned);
    FINE(blindcore_outputs_open("mine.outputs", &returned));
    SAME(blindcore_outputs_open("mine.inputs", &returned), BLINDCORE_STATUS_FILE);
    SAME(blindcore_secret_key_decrypt(other, returned, &answer), BLINDCORE_STATUS_KEY);
    FINE(blindcore_secret_key_decrypt(again, returned, &answer));
    FINE(blindcore_answer_unsigned(answer, 0, "total", &total, 1, &count));
    SAME(total, 30);
    SAME(count, 1);
    blindcore_answer_free(answer);

    /* Room that is too small is not written to, and the call says how much there has to be. */
    FINE(blindcore_program_output(program, "salary"));
    FINE(blindcore_values_new(&values));
    FINE(blindcore_values_set_unsigned_array(values, "salary", salaries, 2));
    FINE(blindcore_values_set_unsigned(values, "count", 2));
    FINE(blindcore_program_simulate(program, values, &answer));
    memset(salary, 0xaa, sizeof salary);
    SAME(blindcore_answer_unsigned(answer, 0, "salary", salary, 7, &count), BLINDCORE_STATUS_INPUT);
    SAYS("salary: 8 elements, and room for 7");
    SAME(count, 8);
    SAME(salary[0], 0xaaaaaaaaaaaaaaaa);
    FINE(blindcore_answer_unsigned(answer, 0, "salary", salary, 8, NULL));
    SAME(salary[0], 10);
    SAME(salary[1], 20);
    SAME(salary[7], 0);
    blindcore_answer_free(answer);
    blindcore_answer_free(NULL);
    blindcore_values_free(values);
    SAME(blindcore_answer_rows(NULL), 0);

    blindcore_outputs_free(returned);
    blindcore_outputs_free(outputs);
    blindcore_inputs_free(sent);
    blindcore_inputs_free(inputs);
    blindcore_server_key_free(server);
    blindcore_server_key_free(other_server);
    blindcore_public_key_free(public_key);
    blindcore_public_key_free(other_public);
    blindcore_secret_key_free(again);
    blindcore_secret_key_free(other);
    blindcore_secret_key_free(secret);
    blindcore_program_free(program);
    blindcore_program_free(NULL);
}

/* Thousands of rows at once. */
static void tables(void)
{
    const char *text = ".bits 16\n.data age\n.data rights\n LOAD R0, age\n LOAD R1, rights\n AND R0, R0, R1\n STORE R0, age";
    BlindcoreProgram *program;
    BlindcoreSecretKey *secret;
    BlindcorePublicKey *public_key;
    BlindcoreServerKey *server;
    BlindcoreInputs *inputs;
    BlindcoreOutputs *outputs;
    BlindcoreAnswer *answer;
    uint64_t age;
    FILE *table = fopen("people.csv", "w");

    fputs("age,rights\n5,3\n6,2\n12,9\n", table);
    fclose(table);
    FINE(blindcore_program_from_bytes("may.hea", (const uint8_t *)text, strlen(text), &program));
    FINE(blindcore_program_secret(program, "age"));
    FINE(blindcore_program_secret(program, "rights"));
    FINE(blindcore_keys_for_table(program, 3, &secret, &public_key, &server));
    FINE(blindcore_secret_key_encrypt_table(secret, program, "people.csv", &inputs));
    SAME(blindcore_secret_key_encrypt_table(secret, program, "nowhere.csv", &inputs), BLINDCORE_STATUS_IO);
    FINE(blindcore_program_run(program, server, inputs, NULL, &outputs));
    FINE(blindcore_secret_key_decrypt(secret, outputs, &answer));
    SAME(blindcore_answer_rows(answer), 3);
    const uint64_t wanted[] = {1, 2, 8};
    for (size_t row = 0; row < 3; row++) {
        FINE(blindcore_answer_unsigned(answer, row, "age", &age, 1, NULL));
        SAME(age, wanted[row]);
    }
    blindcore_answer_free(answer);
    blindcore_outputs_free(outputs);
    blindcore_inputs_free(inputs);
    blindcore_server_key_free(server);
    blindcore_public_key_free(public_key);
    blindcore_secret_key_free(secret);
    blindcore_program_free(program);
}

/* How often somebody was asked, and what they say. */
struct owner {
    int asked, answer;
};

static int decide(void *context, const char *site, const char *asks, uint64_t bits)
{
    struct owner *owner = context;

    SAME(strstr(site, "main") != NULL, 1);
    SAME(strcmp(asks, "condition"), 0);
    SAME(bits > 0, 1);
    owner->asked++;
    return owner->answer;
}

/* A program that branches on a secret asks whoever holds its key. */
static void questions(void)
{
    const char *text = ".bits 16\n.data a\nmain: LOAD R0, a\n CMP R0, 100\n B_LO end\n"
                       " STORE R1, a\nend: HALT";
    BlindcoreProgram *program;
    BlindcoreSecretKey *secret;
    BlindcorePublicKey *public_key;
    BlindcoreServerKey *server;
    BlindcoreValues *values;
    BlindcoreInputs *inputs;
    BlindcoreOutputs *outputs;
    BlindcoreAnswer *answer;
    struct owner owner = {0, 1};
    BlindcoreRunOptions options = {.context = &owner};
    uint64_t a = 0;

    FINE(blindcore_program_from_bytes("small.hea", (const uint8_t *)text, strlen(text), &program));
    FINE(blindcore_program_secret(program, "a"));
    FINE(blindcore_program_output(program, "a"));
    FINE(blindcore_program_ask(program, 0));
    FINE(blindcore_keys_generate(NULL, &secret, &public_key, &server));
    FINE(blindcore_values_new(&values));
    FINE(blindcore_values_set_unsigned(values, "a", 7));
    FINE(blindcore_secret_key_encrypt(secret, program, values, &inputs));
    blindcore_values_free(values);
    SAME(blindcore_program_run(program, server, inputs, &options, &outputs) == BLINDCORE_STATUS_OK, 0);
    options.answer_with = secret;
    SAME(blindcore_program_run(program, server, inputs, &options, &outputs), BLINDCORE_STATUS_USAGE);
    SAYS("ledger: the pointer is null");
    options.ledger = "mine.ledger";
    SAME(blindcore_program_run(program, server, inputs, &options, &outputs), BLINDCORE_STATUS_USAGE);
    SAYS("decide: the pointer is null");
    options.decide = decide;
    owner.answer = 0;
    SAME(blindcore_program_run(program, server, inputs, &options, &outputs), BLINDCORE_STATUS_ANSWER);
    SAME(owner.asked, 1);
    owner.answer = 1;
    options.max_bits = 1;
    SAME(blindcore_program_run(program, server, inputs, &options, &outputs), BLINDCORE_STATUS_ANSWER);
    options.max_bits = 0;
    FINE(blindcore_program_run(program, server, inputs, &options, &outputs));
    FINE(blindcore_secret_key_decrypt(secret, outputs, &answer));
    FINE(blindcore_answer_unsigned(answer, 0, "a", &a, 1, NULL));
    SAME(a, 7);
    blindcore_answer_free(answer);
    blindcore_outputs_free(outputs);
    /* Both paths, and nobody is asked. */
    owner.asked = 0;
    FINE(blindcore_program_ask(program, 100));
    FINE(blindcore_program_run(program, server, inputs, &options, &outputs));
    SAME(owner.asked, 0);
    blindcore_outputs_free(outputs);
    blindcore_inputs_free(inputs);
    blindcore_server_key_free(server);
    blindcore_public_key_free(public_key);
    blindcore_secret_key_free(secret);
    blindcore_program_free(program);
}

/* C files need a compiler for ARM, which is there where the tests are. */
static void compiling(void)
{
    BlindcoreProgram *program;
    BlindcoreValues *values;
    BlindcoreAnswer *answer;
    double half = 0;
    uint64_t letters = 0;
    const char *options[] = {"-DTIMES=2"};
    FILE *source = fopen("times.c", "w");

    fputs("float x;\ndouble y;\nchar word[8];\nunsigned letters;\n"
          "int main(void) { x = x * TIMES; y = y * TIMES; letters = word[1]; return 0; }\n", source);
    fclose(source);
    SAME(blindcore_program_compile("times.c", NULL, 0, &program), BLINDCORE_STATUS_PROGRAM);
    SAYS("TIMES");
    FINE(blindcore_program_compile("times.c", options, 1, &program));
    FINE(blindcore_program_secret(program, "x"));
    FINE(blindcore_program_secret(program, "y"));
    FINE(blindcore_program_secret(program, "word"));
    FINE(blindcore_values_new(&values));
    FINE(blindcore_values_set_real(values, "x", 0.25));
    FINE(blindcore_values_set_real(values, "y", -1.5));
    FINE(blindcore_values_set_text(values, "word", "go"));
    FINE(blindcore_program_simulate(program, values, &answer));
    FINE(blindcore_answer_real(answer, 0, "x", &half, 1, NULL));
    SAME(half == 0.5, 1);
    FINE(blindcore_answer_real(answer, 0, "y", &half, 1, NULL));
    SAME(half == -3.0, 1);
    FINE(blindcore_answer_unsigned(answer, 0, "letters", &letters, 1, NULL));
    SAME(letters, 'o');
    blindcore_answer_free(answer);
    blindcore_values_free(values);
    blindcore_program_free(program);

    const char *text = "unsigned twice(unsigned a) { return 2 * a; }\n";
    source = fopen("twice.c", "w");
    fputs(text, source);
    fclose(source);
    FINE(blindcore_program_open("twice.c", &program));
    FINE(blindcore_program_call(program, "twice(a)"));
    FINE(blindcore_values_new(&values));
    FINE(blindcore_values_set_unsigned(values, "a", 21));
    FINE(blindcore_program_simulate(program, values, &answer));
    FINE(blindcore_answer_unsigned(answer, 0, "twice", &letters, 1, NULL));
    SAME(letters, 42);
    blindcore_answer_free(answer);
    blindcore_values_free(values);
    blindcore_program_free(program);
}

int main(int argc, char **argv)
{
    SAME(argc, 2);
    SAME(strlen(blindcore_version()) > 0, 1);
    SAME(strlen(blindcore_last_error()), 0);
    values_of_every_kind();
    branches();
    ciphertexts(argv[1]);
    tables();
    questions();
    compiling();
    puts("all is well");
    return 0;
}
