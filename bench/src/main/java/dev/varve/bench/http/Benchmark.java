package dev.varve.bench.http;

import dev.varve.bench.http.stream.ChatClient;
import dev.varve.bench.http.stream.ServerFailure;
import dev.varve.bench.http.stream.Target;

import java.net.http.HttpClient;
import java.util.List;
import java.util.function.Function;

/** Runs the scenarios of a plan, one after the other. */
final class Benchmark {
    private static final List<Integer> CURVE = List.of(1, 2, 4, 8, 16, 32);

    private final HttpClient http;
    private final BenchPlan plan;
    private final Report report;
    private final PromptPool prompts;

    Benchmark(HttpClient http, BenchPlan plan, Report report) {
        this.http = http;
        this.plan = plan;
        this.report = report;
        prompts = new PromptPool(new Prompts(plan.repeats().seed()));
    }

    /**
     * Measures all.
     *
     * @throws ServerFailure if a server cannot be reached at all
     */
    void run() throws InterruptedException {
        List<Side> sides =
                plan.needsServer()
                        ? plan.targets().stream()
                                .map(target -> Side.of(client(target), prompts))
                                .toList()
                        : List.of();
        report.begin(plan, sides);
        for (Scenario scenario : plan.scenarios()) {
            switch (scenario) {
                case CLIENTS -> clients(scenario, plan.workload().clients(), sides);
                case LONG -> beside(sides);
                case TURN -> turns(sides);
                case CONVERSATION -> conversation(sides);
                case FIRST -> first();
                case CURVE -> {
                    for (int clients : CURVE) {
                        clients(scenario, clients, sides);
                    }
                }
            }
        }
    }

    private ChatClient client(Target target) {
        return new ChatClient(http, target, plan.repeats().limit());
    }

    private void clients(Scenario scenario, int clients, List<Side> sides)
            throws InterruptedException {
        Workload.Sizes sizes = plan.workload().sizes();
        PromptBatches batches = batches(clients, sizes.prompt(), sides);
        String title = "clients at once: " + clients + ", " + describe(sizes);
        measure(
                new Section.Heading(scenario, clients, title),
                sides,
                side -> new ClientsTrial(side.client(), batches, sizes.answer()));
    }

    private void beside(List<Side> sides) throws InterruptedException {
        Workload.Sizes sizes = plan.workload().sizes();
        PromptBatches streams = batches(1, sizes.prompt(), sides);
        PromptBatches longs = batches(1, sizes.longPrompt(), sides);
        String title =
                "a prompt of about "
                        + sizes.longPrompt()
                        + " tokens beside a stream of "
                        + sizes.answer();
        measure(
                new Section.Heading(Scenario.LONG, 1, title),
                sides,
                side -> new LongTrial(side.client(), streams, longs, sizes.answer()));
    }

    private void turns(List<Side> sides) throws InterruptedException {
        Workload.Sizes sizes = plan.workload().sizes();
        int turns = plan.workload().turns();
        PromptBatches batches = batches(turns, sizes.prompt(), sides);
        String title = turns + " turns, one after the other, " + describe(sizes);
        measure(
                new Section.Heading(Scenario.TURN, 1, title),
                sides,
                side -> new TurnTrial(side.client(), batches, sizes.answer()));
    }

    private void conversation(List<Side> sides) throws InterruptedException {
        Workload.Sizes sizes = plan.workload().sizes();
        int turns = plan.workload().turns();
        PromptBatches questions = batches(turns, sizes.prompt(), sides);
        String title =
                "one chat of "
                        + turns
                        + " turns, answers of at most "
                        + sizes.answer()
                        + " tokens, questions of about "
                        + sizes.prompt()
                        + " tokens";
        measure(
                new Section.Heading(Scenario.CONVERSATION, 1, title),
                sides,
                side -> new ConversationTrial(side.client(), questions, sizes.answer()));
    }

    private void first() throws InterruptedException {
        List<Trial> trials =
                plan.commands().stream()
                        .<Trial>map(launch -> new FirstTrial(http, launch, plan.repeats().limit()))
                        .toList();
        Rounds rounds = new Rounds(plan.repeats().runs(), plan.repeats().settle());
        Section.Heading heading =
                new Section.Heading(
                        Scenario.FIRST, 1, "from the start of the process to its first answer");
        report.section(rounds.measure(heading, trials));
    }

    private PromptBatches batches(int perRound, int tokens, List<Side> sides) {
        int words = sides.getFirst().rate().words(tokens);
        return prompts.batches(plan.repeats().pairs(), perRound, words);
    }

    private void measure(Section.Heading heading, List<Side> sides, Function<Side, Trial> trial)
            throws InterruptedException {
        Rounds rounds = new Rounds(plan.repeats().pairs(), plan.repeats().settle());
        report.section(rounds.measure(heading, sides.stream().map(trial).toList()));
    }

    private static String describe(Workload.Sizes sizes) {
        return "answers of "
                + sizes.answer()
                + " tokens, prompts of about "
                + sizes.prompt()
                + " tokens";
    }
}
