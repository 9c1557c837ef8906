package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationEvent;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.sampling.SamplingOptions;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Measures decode with and without draft tokens: the same prompts in turns, so that other load of
 * the machine affects both alike. The gain depends on the text, so prompts are realistic questions
 * and not random tokens.
 */
final class DraftBench {
    /** Default questions. */
    static final List<String> QUESTIONS =
            List.of(
                    "Write a Java method that reverses a linked list, with a short explanation.",
                    "Explain in six sentences how rain forms.",
                    "List ten capitals of Europe, each with its country.",
                    "What is 17 times 23? Show each step.",
                    "Write a JSON object that describes a book with six fields.",
                    "Tell a short story about the keeper of a lighthouse.",
                    "What is a layer split?",
                    "Write a Python function that counts the words of a file.",
                    "What are the differences between a list and an array?");

    private final HostedModel model;
    private final int tokens;
    private final int atOnce;

    /**
     * @param tokens most tokens of a completion
     * @param atOnce requests that run together
     */
    DraftBench(HostedModel model, int tokens, int atOnce) {
        this.model = model;
        this.tokens = tokens;
        this.atOnce = atOnce;
    }

    /**
     * Result of a run.
     *
     * @param plain tokens per second without draft tokens, per round
     * @param drafted likewise with them
     * @param speculation counts of drafted and accepted tokens and of verify steps
     */
    record Outcome(double[] plain, double[] drafted, GenerationEnd.Speculation speculation) {}

    /** Completions of a round. */
    private record Round(
            double tokensPerSecond,
            List<List<Integer>> outputs,
            List<GenerationEnd.Speculation> speculations) {}

    /** Prompts in the model's chat template, or as they are where it has none. */
    List<int[]> prompts(List<String> questions) {
        Optional<ChatRenderer> chat =
                ChatTemplateLoader.open(
                        Optional.empty(), model.file(), model.tokenizer(), text -> {});
        return questions.stream()
                .map(
                        question ->
                                chat.map(renderer -> render(renderer, question))
                                        .orElseGet(() -> model.encode(question)))
                .toList();
    }

    private static int[] render(ChatRenderer renderer, String question) {
        return renderer.render(
                        Map.of("messages", List.of(Map.of("role", "user", "content", question))))
                .tokens();
    }

    /**
     * Runs the rounds.
     *
     * @param rounds number of measured rounds; one warm-up round precedes them
     * @throws VarveException if draft tokens change a completion
     */
    Outcome run(List<int[]> prompts, int rounds) throws InterruptedException {
        double[] plain = new double[rounds];
        double[] drafted = new double[rounds];
        int[] sums = new int[3];
        for (int round = -1; round < rounds; round++) {
            List<int[]> some = new ArrayList<>();
            for (int i = 0; i < atOnce; i++) {
                some.add(prompts.get(Math.floorMod(round * atOnce + i, prompts.size())));
            }
            boolean plainFirst = round % 2 == 0;
            Round first = generate(some, plainFirst);
            Round second = generate(some, !plainFirst);
            requireSame(first, second);
            if (round >= 0) {
                plain[round] = (plainFirst ? first : second).tokensPerSecond();
                drafted[round] = (plainFirst ? second : first).tokensPerSecond();
                add(sums, (plainFirst ? second : first).speculations());
            }
        }
        return new Outcome(
                plain, drafted, new GenerationEnd.Speculation(sums[0], sums[1], sums[2]));
    }

    private static void add(int[] sums, List<GenerationEnd.Speculation> guesses) {
        for (GenerationEnd.Speculation each : guesses) {
            sums[0] += each.drafted();
            sums[1] += each.accepted();
            sums[2] += each.verifySteps();
        }
    }

    private static void requireSame(Round first, Round second) {
        if (!first.outputs().equals(second.outputs())) {
            throw new VarveException(
                    VarveException.Kind.BACKEND_FAILED,
                    "responses with and without draft tokens differ: "
                            + first.outputs()
                            + " and "
                            + second.outputs());
        }
    }

    private Round generate(List<int[]> prompts, boolean plain) throws InterruptedException {
        List<BlockingQueue<GenerationEvent<Integer>>> queues = new ArrayList<>();
        for (int[] prompt : prompts) {
            GenerationRequest request =
                    new GenerationRequest(
                            GenerationRequest.Prompt.of(prompt),
                            new GenerationRequest.Ending(tokens, model.tokenizer().endTokens()),
                            GenerationRequest.Choice.of(SamplingOptions.greedy()));
            BlockingQueue<GenerationEvent<Integer>> events = new LinkedBlockingQueue<>();
            model.engine()
                    .submit(plain ? request.drafting(0) : request, GenerationEvent.into(events));
            queues.add(events);
        }
        double speed = 0;
        List<List<Integer>> answers = new ArrayList<>();
        List<GenerationEnd.Speculation> guesses = new ArrayList<>();
        for (BlockingQueue<GenerationEvent<Integer>> events : queues) {
            List<Integer> answer = new ArrayList<>();
            GenerationEnd end = await(events, answer);
            speed += end.decodeTokensPerSecond();
            answers.add(answer);
            guesses.add(end.speculation());
        }
        return new Round(speed, answers, guesses);
    }

    private static GenerationEnd await(
            BlockingQueue<GenerationEvent<Integer>> events, List<Integer> answer)
            throws InterruptedException {
        while (true) {
            switch (events.take()) {
                case GenerationEvent.Prefill<Integer> _ -> {}
                case GenerationEvent.Output<Integer>(Integer id) -> answer.add(id);
                case GenerationEvent.End<Integer>(GenerationEnd end) -> {
                    return end;
                }
                case GenerationEvent.Failure<Integer>(var error) -> throw error;
            }
        }
    }

    /** Reads questions, one per line; empty lines are skipped. */
    static List<String> questions(String text) {
        return Arrays.stream(text.split("\\R")).filter(line -> !line.isBlank()).toList();
    }
}
