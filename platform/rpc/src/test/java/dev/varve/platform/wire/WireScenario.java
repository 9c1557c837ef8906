package dev.varve.platform.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.testkit.simulation.Scenario;
import dev.varve.testkit.simulation.Simulation;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;

/**
 * Two ends of a channel that call each other over a link with faults. Every call completes once,
 * with the right response or an error. Progress messages arrive in order. A call returns its credit
 * when it completes. The channel notifies both ends when it closes.
 */
public final class WireScenario implements Scenario {
    private static final int FAILING = 101;
    private static final int FRAME_BYTES = 1024;
    private static final Duration LONG = Duration.ofSeconds(100);

    private Simulation simulation;
    private SplittableRandom choices;
    private SimulatedLink link;
    private int bytes;
    private int requests;
    private boolean closing;

    private int oneOf(int... values) {
        return values[choices.nextInt(values.length)];
    }

    @Override
    public void run(Simulation run) throws Exception {
        simulation = run;
        choices = run.choices();
        boolean faulty = choices.nextBoolean();
        boolean mortal = choices.nextInt(3) == 0;
        link =
                new SimulatedLink(
                        faulty
                                ? new SimulatedLink.Faults(
                                        oneOf(0, 0, 50),
                                        oneOf(0, 0, 50),
                                        oneOf(0, 0, 50),
                                        oneOf(0, 0, 20),
                                        oneOf(0, 50),
                                        oneOf(20, 2_000))
                                : SimulatedLink.Faults.NONE);
        bytes = oneOf(4096, 10_000, 100_000);
        requests = oneOf(1, 3, 8);
        WireOptions options =
                WireOptions.defaults()
                        .withMaxFrameBytes(FRAME_BYTES)
                        .withCredit(bytes, requests)
                        .withHandshakeLimit(Duration.ofSeconds(1))
                        .withHeartbeat(mortal ? Duration.ofMillis(100) : Duration.ofSeconds(10), 3);
        CompletableFuture<Optional<WireChannel>> accepted = new CompletableFuture<>();
        SplittableRandom serving = choices.split();
        simulation.start(
                "server",
                () ->
                        accepted.complete(
                                opened(
                                        () ->
                                                WireChannel.accept(
                                                        link.server(),
                                                        options,
                                                        (request, call) ->
                                                                serve(request, call, serving)))));
        Optional<WireChannel> client =
                opened(
                        () ->
                                WireChannel.connect(
                                        link.client(),
                                        options,
                                        (request, call) -> serve(request, call, serving),
                                        Thread::startVirtualThread));
        Optional<WireChannel> server = accepted.join();
        if (client.isPresent() && server.isPresent()) {
            converse(client.get(), server.get(), mortal);
        }
        client.ifPresent(WireChannel::close);
        server.ifPresent(WireChannel::close);
    }

    /** Opens one end of a channel. */
    private interface Opening {
        WireChannel open();
    }

    private Optional<WireChannel> opened(Opening opening) {
        try {
            return Optional.of(opening.open());
        } catch (VarveException e) {
            assertTrue(link.happened() > 0, e::toString);
            return Optional.empty();
        }
    }

    private void converse(WireChannel client, WireChannel server, boolean mortal)
            throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        List<Caller> callers = new ArrayList<>();
        int count = choices.nextInt(1, 6);
        for (int i = 0; i < count; i++) {
            WireChannel channel = choices.nextInt(4) == 0 ? server : client;
            Caller caller = new Caller("caller " + i, channel, choices.split(), mortal);
            callers.add(caller);
            threads.add(simulation.start(caller.name, caller::run));
        }
        if (choices.nextInt(3) == 0) {
            simulation.sleep(choices.nextLong(40_000_000));
            if (choices.nextBoolean()) {
                link.cut();
            } else {
                simulation.event("one side closes");
                closing = true;
                (choices.nextBoolean() ? client : server).close();
            }
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (isWhole(mortal)) {
            link.heal();
            assertCreditIsBack(client);
            assertCreditIsBack(server);
        }
        closing = true;
        client.close();
        client.lost().join();
        server.lost().join();
    }

    private boolean isWhole(boolean mortal) {
        return link.happened() == 0 && !closing && !mortal;
    }

    /** As many calls as may be open, and then one of all bytes that may be on their way. */
    private void assertCreditIsBack(WireChannel channel) {
        List<CompletableFuture<Message>> all =
                IntStream.range(0, requests)
                        .mapToObj(i -> channel.call(message(Channels.ECHO, 10, i), LONG))
                        .toList();
        all.forEach(CompletableFuture::join);
        channel.call(message(Channels.ECHO, bytes - Long.BYTES, 1), LONG).join();
    }

    private static Message message(int type, int payloadBytes, long seed) {
        byte[] payload = new byte[payloadBytes];
        new SplittableRandom(seed).nextBytes(payload);
        ByteBuffer meta = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        return new Message(type, meta.putLong(0, seed), ByteBuffer.wrap(payload));
    }

    /** Answers with the request itself, later, behind some progress; or fails. */
    private void serve(Message request, CallResponder call, SplittableRandom random) {
        long delay = random.nextLong(5_000_000);
        int progress = random.nextInt(3) == 0 ? random.nextInt(1, 5) : 0;
        simulation.start(
                "serving",
                () -> {
                    simulation.sleep(delay);
                    for (int i = 0; i < progress; i++) {
                        call.progress(message(Channels.ECHO, 100, i));
                    }
                    if (request.type() == FAILING) {
                        call.fail(
                                new WireException(WireErrorCode.OVERLOADED, "as it was asked to"));
                    } else {
                        call.reply(request);
                    }
                });
    }

    /** Calls one after the other, or several at once. */
    private final class Caller {
        private final String name;
        private final WireChannel channel;
        private final SplittableRandom own;
        private final boolean mortal;

        Caller(String name, WireChannel channel, SplittableRandom own, boolean mortal) {
            this.name = name;
            this.channel = channel;
            this.own = own;
            this.mortal = mortal;
        }

        void run() {
            int calls = own.nextInt(1, 6);
            for (int i = 0; i < calls; i++) {
                simulation.sleep(own.nextLong(3_000_000));
                List<Asked> asked = new ArrayList<>();
                int atOnce = own.nextInt(1, 4);
                for (int each = 0; each < atOnce; each++) {
                    asked.add(ask());
                }
                asked.forEach(this::check);
            }
        }

        /** A call that was made. */
        private record Asked(
                Message request,
                CompletableFuture<Message> answer,
                List<Long> progress,
                boolean hurries,
                boolean cancels) {}

        private Asked ask() {
            int type = own.nextInt(10) == 0 ? FAILING : Channels.ECHO;
            int size = own.nextInt(3) == 0 ? own.nextInt(bytes - Long.BYTES) : own.nextInt(600);
            boolean hurries = own.nextInt(8) == 0;
            boolean cancels = own.nextInt(8) == 0;
            Message request = message(type, size, own.nextLong());
            List<Long> progress = new ArrayList<>();
            Duration limit = hurries ? Duration.ofMillis(own.nextInt(1, 20)) : LONG;
            CompletableFuture<Message> answer =
                    channel.call(
                            request,
                            Deadline.within(limit),
                            message -> progress.add(message.meta().getLong()));
            if (cancels) {
                simulation.sleep(own.nextLong(8_000_000));
                answer.cancel(false);
            }
            return new Asked(request, answer, progress, hurries, cancels);
        }

        private void check(Asked asked) {
            try {
                Message answer = asked.answer().join();
                assertEquals(asked.request(), answer, name);
                assertEquals(Channels.ECHO, asked.request().type(), name);
                if (link.happened() == 0) {
                    List<Long> inOrder =
                            IntStream.range(0, asked.progress().size())
                                    .mapToObj(i -> (long) i)
                                    .toList();
                    assertEquals(inOrder, asked.progress(), name);
                }
            } catch (CancellationException e) {
                assertTrue(asked.cancels(), name);
            } catch (CompletionException e) {
                simulation.event(name + ": " + e.getCause().getClass().getSimpleName());
                assertTrue(isExplained(e.getCause(), asked), e::toString);
            }
        }

        private boolean isExplained(Throwable failure, Asked asked) {
            return switch (failure) {
                case ChannelLostException lost -> !isWhole(mortal);
                case WireException wire when wire.code() == WireErrorCode.DEADLINE ->
                        asked.hurries() || link.happened() > 0;
                case WireException wire when wire.code() == WireErrorCode.OVERLOADED ->
                        asked.request().type() == FAILING;
                default -> false;
            };
        }
    }
}
