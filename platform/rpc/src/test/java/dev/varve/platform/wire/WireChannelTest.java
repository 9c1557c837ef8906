package dev.varve.platform.wire;

import static dev.varve.platform.wire.Channels.ECHOES;
import static dev.varve.platform.wire.Channels.LIMIT;
import static dev.varve.platform.wire.Channels.await;
import static dev.varve.platform.wire.Channels.failure;
import static dev.varve.platform.wire.Channels.message;
import static dev.varve.platform.wire.Channels.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

class WireChannelTest {
    private record Served(Message request, CallResponder call) {}

    private final BlockingQueue<Served> served = new LinkedBlockingQueue<>();

    private Served nextServed() throws InterruptedException {
        Served next = served.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertTrue(next != null, "no request arrived");
        return next;
    }

    private void hold(Message request, CallResponder call) {
        served.add(new Served(request, call));
    }

    /** Around the largest frame, where a message begins to need a second one. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4095, 4096, 4097, 8192, 100_000, 1 << 20})
    void responseHasTheBytesOfItsRequest(int payloadBytes) {
        try (Channels channels = Channels.inMemory(options().withMaxFrameBytes(4096), ECHOES)) {
            Message request = message(payloadBytes, payloadBytes);

            Message answer = await(channels.client().call(request, LIMIT));

            assertEquals(request, answer);
        }
    }

    @Test
    void requestsStartInOrderAndEndInAnyOrder() throws InterruptedException {
        try (Channels channels = Channels.inMemory(options(), this::hold)) {
            List<CompletableFuture<Message>> calls =
                    IntStream.range(0, 8)
                            .mapToObj(i -> channels.client().call(message(10, i), LIMIT))
                            .toList();
            List<Served> started = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                started.add(nextServed());
            }

            for (Served last : started.reversed()) {
                last.call().reply(last.request());
            }

            assertEquals(
                    IntStream.range(0, 8).mapToObj(i -> message(10, i)).toList(),
                    started.stream().map(Served::request).toList());
            assertEquals(
                    IntStream.range(0, 8).mapToObj(i -> message(10, i)).toList(),
                    calls.stream().map(Channels::await).toList());
        }
    }

    @Test
    void progressArrivesInOrderBeforeTheResult() {
        List<Message> progress = Collections.synchronizedList(new ArrayList<>());
        Handler counting =
                (request, call) -> {
                    for (int i = 0; i < 100; i++) {
                        call.progress(message(5000, i));
                    }
                    call.reply(request);
                };
        WireOptions small = options().withCredit(8192, 2);
        try (Channels channels = Channels.inMemory(small, counting)) {
            await(
                    channels.client()
                            .call(message(1, 1), Deadline.withoutProgress(LIMIT), progress::add));

            assertEquals(
                    IntStream.range(0, 100).mapToObj(i -> message(5000, i)).toList(), progress);
        }
    }

    @Test
    void failureKeepsItsCodeAndText() {
        Handler failing =
                (request, call) ->
                        call.fail(
                                new WireException(
                                        WireErrorCode.OVERLOADED,
                                        WireException.Retry.WORTHWHILE,
                                        "come back later"));
        try (Channels channels = Channels.inMemory(options(), failing)) {
            WireException error =
                    assertInstanceOf(
                            WireException.class,
                            failure(channels.client().call(message(1, 1), LIMIT)));

            assertEquals(WireErrorCode.OVERLOADED, error.code());
            assertEquals(WireException.Retry.WORTHWHILE, error.retry());
            assertEquals("come back later", error.getMessage());
        }
    }

    @Test
    void throwingHandlerEndsOnlyItsOwnCall() {
        Handler throwing =
                (request, call) -> {
                    switch (request.payload().remaining()) {
                        case 1 ->
                                throw new VarveException(
                                        VarveException.Kind.OUT_OF_MEMORY, "needs 3 GiB");
                        case 2 -> throw new IllegalStateException("secret of the prompt");
                        case 3 -> throw new StackOverflowError();
                        default -> call.reply(request);
                    }
                };
        try (Channels channels = Channels.inMemory(options(), throwing)) {
            WireChannel client = channels.client();

            VarveException known = failure(client.call(message(1, 1), LIMIT));
            VarveException unknown = failure(client.call(message(2, 1), LIMIT));
            VarveException deep = failure(client.call(message(3, 1), LIMIT));
            Message good = await(client.call(message(4, 1), LIMIT));

            assertEquals(VarveException.Kind.OUT_OF_MEMORY, known.kind());
            assertEquals("needs 3 GiB", known.getMessage());
            assertEquals("internal error (IllegalStateException)", unknown.getMessage());
            assertEquals("internal error (StackOverflowError)", deep.getMessage());
            assertEquals(message(4, 1), good);
        }
    }

    @Test
    void withoutCreditARequestWaitsUntilAnotherOneEnds() throws InterruptedException {
        try (Channels channels = Channels.inMemory(options().withCredit(4096, 2), this::hold)) {
            WireChannel client = channels.client();
            CompletableFuture<Message> first = client.call(message(3000, 1), LIMIT);
            CompletableFuture<Message> second = client.call(message(3000, 2), LIMIT);
            Served running = nextServed();
            assertTrue(served.isEmpty(), "bytes of the second request exceed the credit");

            running.call().reply(running.request());
            Served next = nextServed();
            next.call().reply(next.request());

            assertEquals(message(3000, 1), await(first));
            assertEquals(message(3000, 2), await(second));
        }
    }

    @Test
    void requestWithoutCreditExpiresUnsent() throws InterruptedException {
        try (Channels channels = Channels.inMemory(options().withCredit(4096, 1), this::hold)) {
            WireChannel client = channels.client();
            CompletableFuture<Message> first = client.call(message(1, 1), LIMIT);

            VarveException late = failure(client.call(message(1, 2), Duration.ofMillis(20)));
            CompletableFuture<Message> third = client.call(message(1, 3), LIMIT);
            for (int i = 0; i < 2; i++) {
                Served next = nextServed();
                next.call().reply(next.request());
            }

            assertEquals("no response within 20 ms", late.getMessage());
            assertEquals(message(1, 1), await(first));
            assertEquals(message(1, 3), await(third), "the second request was not sent");
        }
    }

    /** The channel removes an expired call only after those who wait for it have been notified. */
    @Test
    void expiredRequestIsNotSentBeforeItIsRemoved() throws InterruptedException {
        try (Channels channels = Channels.inMemory(options().withCredit(4096, 1), this::hold)) {
            WireChannel client = channels.client();
            CompletableFuture<Message> first = client.call(message(1, 1), LIMIT);
            Served running = nextServed();
            CompletableFuture<Message> servedNext =
                    client.call(message(1, 2), Duration.ofMillis(20))
                            .exceptionally(
                                    _ -> {
                                        running.call().reply(running.request());
                                        return nextRequest();
                                    });
            CompletableFuture<Message> third = client.call(message(1, 3), LIMIT);

            assertEquals(message(1, 3), await(servedNext));
            assertEquals(message(1, 1), await(first));
            assertEquals(message(1, 3), await(third));
        }
    }

    /** Serves a request and returns it. */
    private Message nextRequest() {
        try {
            Served next = nextServed();
            next.call().reply(next.request());
            return next.request();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void messageLargerThanTheCreditIsRefusedUnsent() {
        Handler inflating = (request, call) -> call.reply(message(5000, 1));
        try (Channels channels = Channels.inMemory(options().withCredit(4096, 2), inflating)) {
            WireChannel client = channels.client();

            VarveException request = failure(client.call(message(5000, 1), LIMIT));
            VarveException result = failure(client.call(message(10, 1), LIMIT));

            assertEquals(
                    "request of 5008 bytes exceeds the 4096 that memory accepts",
                    request.getMessage());
            assertEquals(
                    "result of 5008 bytes exceeds the 4096 that the other side accepts",
                    result.getMessage());
        }
    }

    @Test
    void cancelledCallReachesTheHandlerAndItsLateResultIsDropped() throws Exception {
        try (Channels channels = Channels.inMemory(options(), this::hold)) {
            WireChannel client = channels.client();
            CompletableFuture<Message> call = client.call(message(10, 1), LIMIT);
            Served running = nextServed();
            CountDownLatch cancelled = new CountDownLatch(1);
            running.call().onCancel(cancelled::countDown);

            call.cancel(true);

            assertTrue(cancelled.await(LIMIT.toSeconds(), TimeUnit.SECONDS));
            assertTrue(running.call().isCancelled());
            running.call().reply(running.request());
            CompletableFuture<Message> next = client.call(message(10, 2), LIMIT);
            Served following = nextServed();
            following.call().reply(following.request());
            assertEquals(message(10, 2), await(next));
            assertFalse(client.lost().isDone(), "a late result is not an error");
        }
    }

    @Test
    void expiredCallIsCancelledAtThePeer() throws Exception {
        try (Channels channels = Channels.inMemory(options(), this::hold)) {
            CompletableFuture<Message> call =
                    channels.client().call(message(10, 1), Duration.ofMillis(50));
            CountDownLatch cancelled = new CountDownLatch(1);
            nextServed().call().onCancel(cancelled::countDown);

            WireException error = assertInstanceOf(WireException.class, failure(call));

            assertEquals(WireErrorCode.DEADLINE, error.code());
            assertTrue(cancelled.await(LIMIT.toSeconds(), TimeUnit.SECONDS));
        }
    }

    @Test
    void secondResultOfACallIsAHandlerError() throws InterruptedException {
        try (Channels channels = Channels.inMemory(options(), this::hold)) {
            channels.client().call(message(10, 1), LIMIT);
            Served running = nextServed();
            running.call().reply(running.request());

            assertThrows(
                    IllegalStateException.class, () -> running.call().reply(running.request()));
        }
    }

    @Test
    void lostConnectionFailsAllCallsAndCancelsTheHandlers() throws Exception {
        MemoryConnection.Pair pair = MemoryConnection.pair(1 << 16, false);
        try (Channels channels =
                Channels.over(pair.client(), pair.server(), options(), options(), this::hold)) {
            CompletableFuture<Message> first = channels.client().call(message(1, 1), LIMIT);
            CompletableFuture<Message> second = channels.client().call(message(1, 2), LIMIT);
            CountDownLatch cancelled = new CountDownLatch(2);
            nextServed().call().onCancel(cancelled::countDown);
            nextServed().call().onCancel(cancelled::countDown);

            pair.server().close();

            assertInstanceOf(ChannelLostException.class, failure(first));
            assertInstanceOf(ChannelLostException.class, failure(second));
            assertTrue(cancelled.await(LIMIT.toSeconds(), TimeUnit.SECONDS));
            assertInstanceOf(
                    ChannelLostException.class,
                    failure(channels.client().call(message(1, 3), LIMIT)),
                    "a call after the end");
        }
    }

    @Test
    void closeReasonReachesThePeer() {
        try (Channels channels = Channels.inMemory(options(), ECHOES)) {
            channels.server().close();

            assertEquals(
                    "memory: the other side closed: closed by this side",
                    await(channels.client().lost()));
            assertEquals("memory: closed by this side", await(channels.server().lost()));
        }
    }

    @Test
    void peerWithoutPongsIsDead() {
        RawPeer silent = RawPeer.accepting(options().withHeartbeat(Duration.ofMillis(10), 3));
        CompletableFuture<Message> call = silent.channel().call(message(1, 1), LIMIT);

        VarveException error = failure(call);

        assertEquals("memory: the other side sent nothing for 30 ms", error.getMessage());
        silent.close();
    }

    @Test
    void progressCounterIsSentWithHeartbeats() throws Exception {
        CountDownLatch asked = new CountDownLatch(3);
        try (Channels channels =
                Channels.inMemory(options().withHeartbeat(Duration.ofMillis(5), 1000), ECHOES)) {
            channels.server()
                    .progressCounter(
                            () -> {
                                asked.countDown();
                                return 4711;
                            });

            assertTrue(asked.await(LIMIT.toSeconds(), TimeUnit.SECONDS));
            await(channels.client().call(message(1, 1), LIMIT));

            assertEquals(4711, channels.client().peerProgress());
            assertFalse(channels.client().lost().isDone());
        }
    }

    @Test
    void bothSidesMaySendMoreThanTheConnectionBuffers() {
        MemoryConnection.Pair pair = MemoryConnection.pair(1000, false);
        try (Channels channels =
                Channels.over(pair.client(), pair.server(), options(), options(), ECHOES)) {
            List<CompletableFuture<Message>> calls =
                    IntStream.range(0, 40)
                            .mapToObj(i -> channels.client().call(message(50_000, i), LIMIT))
                            .toList();

            for (int i = 0; i < 40; i++) {
                assertEquals(message(50_000, i), await(calls.get(i)), "call " + i);
            }
        }
    }

    @Test
    void callsMayBeMadeInCompletionHandlers() {
        try (Channels channels = Channels.inMemory(options().withCredit(4096, 1), ECHOES)) {
            CompletableFuture<Message> chain = channels.client().call(message(3000, 0), LIMIT);
            for (int i = 1; i < 50; i++) {
                int next = i;
                chain =
                        chain.thenCompose(
                                done -> channels.client().call(message(3000, next), LIMIT));
            }

            assertEquals(message(3000, 49), await(chain));
        }
    }

    @Test
    void sideWithoutHandlersReportsUnsupported() {
        try (Channels channels = Channels.inMemory(options(), ECHOES)) {
            WireException error =
                    assertInstanceOf(
                            WireException.class,
                            failure(channels.server().call(message(1, 1), LIMIT)));

            assertEquals(WireErrorCode.UNSUPPORTED, error.code());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "secreT", "secret ", "secre"})
    void wrongTokenIsRefusedWithAReason(String token) {
        WireOptions server = options().withToken(Optional.of("secret"));
        WireOptions client =
                options().withToken(token.isEmpty() ? Optional.empty() : Optional.of(token));

        VarveException error =
                assertThrows(VarveException.class, () -> Channels.inMemory(client, server, ECHOES));

        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        assertEquals(
                "memory: refused: "
                        + (token.isEmpty() ? "a token is required" : "the token is wrong"),
                error.getMessage());
    }

    @Test
    void rightTokenIsAccepted() {
        WireOptions secret = options().withToken(Optional.of("secret"));
        try (Channels channels = Channels.inMemory(secret, ECHOES)) {
            assertEquals(message(5, 5), await(channels.client().call(message(5, 5), LIMIT)));
        }
    }

    @Test
    void peerOfAnotherReleaseIsRefusedWithBothVersions() throws Exception {
        MemoryConnection.Pair pair = MemoryConnection.pair(1 << 16, false);
        ByteBuffer greeting =
                RawPeer.frame(
                        new FrameHeader(
                                new FrameHeader.Kind(1, FrameType.HELLO, 0),
                                0,
                                0,
                                FrameHeader.Section.NONE,
                                FrameHeader.Section.NONE),
                        ByteBuffer.allocate(0),
                        ByteBuffer.allocate(0));
        greeting.putShort(4, (short) 1);
        greeting.putInt(
                FrameHeader.BYTES - 4, FrameHeader.crc(greeting.slice(0, FrameHeader.BYTES - 4)));
        pair.client().write(greeting);

        VarveException error =
                assertThrows(
                        VarveException.class,
                        () -> WireChannel.accept(pair.server(), options(), ECHOES));

        String reason =
                "protocol version: expected "
                        + FrameHeader.VERSION
                        + ", found 1; both sides need the same release";
        assertTrue(error.getMessage().contains(reason), error.getMessage());
        FrameReader answer = new FrameReader(pair.client(), new WireCounters());
        FrameHeader header = answer.header(0);
        assertEquals(FrameType.ERROR, header.type());
        String text = WireText.decode(answer.meta(header).position(1));
        assertTrue(text.contains(reason), text);
    }

    @Test
    void silentPeerTimesOut() {
        MemoryConnection.Pair pair = MemoryConnection.pair(1 << 16, false);

        VarveException error =
                assertThrows(
                        VarveException.class,
                        () ->
                                WireChannel.accept(
                                        pair.server(),
                                        options().withHandshakeLimit(Duration.ofMillis(20)),
                                        ECHOES));

        assertEquals("memory: no handshake within 20 ms", error.getMessage());
    }

    @Test
    void requiredSharedMemoryThatFailsIsAnError() {
        WireOptions shared = options().withSharedMemory(SharedMemoryMode.SHARED, 1 << 20);

        VarveException error =
                assertThrows(VarveException.class, () -> Channels.inMemory(shared, ECHOES));

        assertTrue(error.getMessage().contains("shared memory is required"), error.getMessage());
    }

    @Test
    void messageHasAnIndependentPositionPerReader() {
        Message message = message(16, 1);

        message.payload().getLong();

        assertEquals(16, message.payload().remaining());
        assertTrue(message.payload().isReadOnly());
        assertThrows(IllegalArgumentException.class, () -> Message.of(63));
    }
}
