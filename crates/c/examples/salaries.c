/* The salaries of examples/salaries, encrypted: what do we earn together, and what is the mean?
 *
 *     salaries examples/salaries/salaries.elf 5200 4100 3950
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "blindcore.h"

#define CAPACITY 8

/* Ends the program with the library's words and code, unless all is well. */
static void check(BlindcoreStatus status)
{
    if (status != BLINDCORE_STATUS_OK) {
        fprintf(stderr, "salaries: %s\n", blindcore_last_error());
        exit(status);
    }
}

/* Draws how far the run is on one line. */
static int show(void *context, uint64_t done, uint64_t total)
{
    (void)context;
    fprintf(stderr, "\r%" PRIu64 " of %" PRIu64 " bootstraps", done, total);
    return 0;
}

int main(int argc, char **argv)
{
    uint64_t salary[CAPACITY];
    size_t count = 0;

    if (argc < 2 || argc > 2 + CAPACITY) {
        fprintf(stderr, "usage: salaries PROGRAM SALARY...\n");
        return BLINDCORE_STATUS_USAGE;
    }
    for (int i = 2; i < argc; i++)
        salary[count++] = strtoull(argv[i], NULL, 10);

    BlindcoreProgram *program;
    check(blindcore_program_open(argv[1], &program));
    check(blindcore_program_secret(program, "salary"));
    check(blindcore_program_secret(program, "count"));

    /* What it will cost, before there is a key. */
    BlindcorePlan *plan;
    BlindcoreCost cost;
    check(blindcore_program_plan(program, 0, &plan));
    check(blindcore_plan_cost(plan, &cost));
    fprintf(stderr, "%" PRIu64 " bootstraps, about %.1f s\n", cost.bootstraps, cost.seconds);
    blindcore_plan_free(plan);

    /* The owner: keys, and encryption. */
    BlindcoreSecretKey *secret;
    BlindcorePublicKey *public_key;
    BlindcoreServerKey *server;
    check(blindcore_keys_generate(NULL, &secret, &public_key, &server));
    BlindcoreValues *values;
    BlindcoreInputs *inputs;
    check(blindcore_values_new(&values));
    check(blindcore_values_set_unsigned_array(values, "salary", salary, count));
    check(blindcore_values_set_unsigned(values, "count", count));
    check(blindcore_secret_key_encrypt(secret, program, values, &inputs));
    blindcore_values_free(values);

    /* The computer that is not trusted: it has no secret. */
    BlindcoreRunOptions options = {.progress = show};
    BlindcoreOutputs *outputs;
    check(blindcore_program_run(program, server, inputs, &options, &outputs));
    fprintf(stderr, "\n");

    /* The owner again. */
    BlindcoreAnswer *answer;
    uint64_t total, mean;
    check(blindcore_secret_key_decrypt(secret, outputs, &answer));
    check(blindcore_answer_unsigned(answer, 0, "total", &total, 1, NULL));
    check(blindcore_answer_unsigned(answer, 0, "mean", &mean, 1, NULL));
    printf("%" PRIu64 " %" PRIu64 "\n", total, mean);

    blindcore_answer_free(answer);
    blindcore_outputs_free(outputs);
    blindcore_inputs_free(inputs);
    blindcore_server_key_free(server);
    blindcore_public_key_free(public_key);
    blindcore_secret_key_free(secret);
    blindcore_program_free(program);
    return 0;
}
