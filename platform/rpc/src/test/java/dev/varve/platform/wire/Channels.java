package dev.varve.platform.wire;

import dev.varve.api.VarveException;
import dev.varve.api.transport.Connection;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Two channels that are connected to each other, and what tests send through them. */
record Channels(WireChannel client, WireChannel server) implements AutoCloseable {
    static final Duration LIMIT = Duration.ofSeconds(20);
    static final int ECHO = 100;

    static final Handler ECHOES =
            (request, call) ->
                    call.reply(new Message(request.type(), request.meta(), request.payload()));

    static Channels inMemory(WireOptions options, Handler handler) {
        return inMemory(options, options, handler);
    }

    static Channels inMemory(WireOptions client, WireOptions server, Handler handler) {
        MemoryConnection.Pair pair = MemoryConnection.pair(1 << 16, false);
        return over(pair.client(), pair.server(), client, server, handler);
    }

    static Channels over(
            Connection clientEnd,
            Connection serverEnd,
            WireOptions client,
            WireOptions server,
            Handler handler) {
        CompletableFuture<WireChannel> accepted =
                CompletableFuture.supplyAsync(
                        () -> WireChannel.accept(serverEnd, server, handler),
                        Thread::startVirtualThread);
        WireChannel connected = WireChannel.connect(clientEnd, client);
        return new Channels(connected, await(accepted));
    }

    static WireOptions options() {
        return WireOptions.defaults().withHeartbeat(Duration.ofSeconds(60), 3);
    }

    static Message message(int payloadBytes, long seed) {
        byte[] payload = new byte[payloadBytes];
        new Random(seed).nextBytes(payload);
        ByteBuffer meta = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        return new Message(ECHO, meta.putLong(0, seed), ByteBuffer.wrap(payload));
    }

    static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new AssertionError(e);
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("nothing within " + LIMIT, e);
        }
    }

    /** How a call fails. */
    static VarveException failure(CompletableFuture<Message> call) {
        try {
            Message message = await(call);
            throw new AssertionError("expected a failure, got " + message);
        } catch (VarveException e) {
            return e;
        }
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
