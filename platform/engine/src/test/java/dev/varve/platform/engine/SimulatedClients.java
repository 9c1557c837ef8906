package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.testkit.simulation.Simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Clients of an engine that send requests, continue conversations, stop early and cancel. They
 * compare each response with the one that the model computes alone.
 */
public final class SimulatedClients {
    private static final int LONGEST_ANSWER = 12;

    private final Simulation simulation = Simulation.current();
    private final SimulatedModel model;
    private final Engine engine;
    private final Predicate<VarveException> explained;
    private final List<SimulatedClient> clients = new ArrayList<>();
    private final List<int[]> prompts = new ArrayList<>();

    /**
     * Creates clients without requests.
     *
     * @param explained whether a request that was not cancelled may fail with this error
     */
    public SimulatedClients(
            SimulatedModel model, Engine engine, Predicate<VarveException> explained) {
        this.model = model;
        this.engine = engine;
        this.explained = explained;
    }

    /** Starts some clients, each with its own thread. */
    public List<Thread> start(int count) {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            SplittableRandom own = simulation.choices().split();
            String name = "client " + i;
            threads.add(simulation.start(name, () -> converse(own, name)));
        }
        return threads;
    }

    /** Returns a prompt with one of a few common prefixes, and an end of its own. */
    private static int[] prompt(int topic, int more) {
        int[] head =
                new SplittableRandom(topic)
                        .ints(250 + 60 * topic, 0, SimulatedModel.VOCABULARY)
                        .toArray();
        int[] tail = IntStream.range(0, more).map(i -> (i * 7 + more) % 50).toArray();
        return IntStream.concat(Arrays.stream(head), Arrays.stream(tail)).toArray();
    }

    private void converse(SplittableRandom own, String name) {
        int[] prompt = prompt(own.nextInt(3), own.nextInt(40));
        int turns = own.nextInt(1, 4);
        try {
            for (int turn = 0; turn < turns; turn++) {
                simulation.sleep(own.nextLong(30_000_000));
                int count = own.nextInt(1, LONGEST_ANSWER);
                if (prompt.length + count > SimulatedModel.CONTEXT) {
                    return;
                }
                SimulatedClient client = ask(name + "." + turn, prompt, count, own);
                int[] said = client.tokens().stream().mapToInt(Integer::intValue).toArray();
                int[] more = own.ints(own.nextInt(1, 80), 0, 50).toArray();
                prompt =
                        IntStream.concat(
                                        IntStream.concat(
                                                Arrays.stream(prompt), Arrays.stream(said)),
                                        Arrays.stream(more))
                                .toArray();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Repeats some prompts of other clients, one after the other. */
    public void askAgain(SimulatedClients others, int most) throws InterruptedException {
        List<int[]> prompts = others.prompts;
        for (int i = 0; i < Math.min(most, prompts.size()); i++) {
            int[] prompt = prompts.get(simulation.choices().nextInt(prompts.size()));
            int count = Math.min(4, SimulatedModel.CONTEXT - prompt.length);
            ask("again " + i, prompt, count, simulation.choices());
        }
    }

    private SimulatedClient ask(String name, int[] prompt, int count, SplittableRandom own)
            throws InterruptedException {
        boolean keeps = own.nextInt(8) > 0;
        int stopsAfter = own.nextInt(6) == 0 ? own.nextInt(1, count + 1) : Integer.MAX_VALUE;
        boolean cancels = own.nextInt(5) == 0;
        int boundary = own.nextBoolean() ? own.nextInt(1, prompt.length) : 0;
        GenerationRequest request =
                new GenerationRequest(
                                GenerationRequest.Prompt.of(
                                        prompt, boundary == 0 ? new int[0] : new int[] {boundary}),
                                new GenerationRequest.Ending(count, Set.of()),
                                GenerationRequest.Choice.of(SamplingOptions.greedy()))
                        .within(keeps ? CacheScope.common() : CacheScope.none());
        SimulatedClient client = new SimulatedClient(name, stopsAfter);
        clients.add(client);
        prompts.add(prompt);
        try {
            GenerationHandle generation = engine.submit(request, client);
            client.accepted();
            if (cancels) {
                simulation.sleep(own.nextLong(60_000_000));
                simulation.event(name + " cancels");
                generation.cancel();
            }
        } catch (VarveException refusal) {
            client.onError(refusal);
        }
        client.await();
        check(client, prompt, count, stopsAfter, cancels);
        return client;
    }

    private void check(
            SimulatedClient client, int[] prompt, int count, int stopsAfter, boolean cancels) {
        List<Integer> expected = model.answer(prompt, count);
        assertEquals(
                expected.subList(0, client.tokens().size()), client.tokens(), client::toString);
        client.end()
                .ifPresent(
                        end -> {
                            assertEquals(Math.min(count, stopsAfter), client.tokens().size());
                            assertEquals(client.tokens().size(), end.tokens().generated());
                            assertEquals(prompt.length, end.tokens().prompt());
                        });
        client.error().ifPresent(error -> assertExplained(error, cancels, client));
    }

    /** Checks that a failed request has a valid reason. */
    private void assertExplained(VarveException error, boolean cancels, SimulatedClient client) {
        boolean known =
                cancels && error.kind() == VarveException.Kind.CANCELLED || explained.test(error);
        if (!known) {
            throw new AssertionError(client.toString(), error);
        }
    }

    /** Checks that each request has ended once. */
    public void assertAllEnded() {
        for (SimulatedClient client : clients) {
            assertEquals(1, client.ends(), client::toString);
        }
    }

    /** Checks that each accepted request has ended. */
    public void assertNoneWaits() {
        for (SimulatedClient client : clients) {
            assertTrue(!client.isAccepted() || client.ends() == 1, client::toString);
        }
    }

    /** Returns the number of tokens that the clients received. */
    public long tokens() {
        return clients.stream().mapToLong(client -> client.tokens().size()).sum();
    }
}
