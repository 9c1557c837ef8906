package dev.varve.platform.http.answer;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.setting.SettingNames;

import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * The stream of a client that waits for its model to be loaded, or for its prompt to be made
 * shorter. If that takes a while the stream begins, with signs of life: clients and what stands
 * between give up a connection on which nothing comes. From then on the status is settled, so what
 * goes wrong is told in the stream. One thread.
 */
public final class HeartbeatStream {
    private final HttpServletResponse response;
    private final BooleanSupplier gone;
    private final HeartbeatFormat form;
    private final Duration sign;
    private Optional<EventSink> sink = Optional.empty();
    private boolean broken;
    private long last = System.nanoTime();

    /**
     * {@code gone}: whether the client closed its connection.
     *
     * @param form what the route's streams say
     */
    public HeartbeatStream(
            HttpServletResponse response, BooleanSupplier gone, HeartbeatFormat form) {
        this(response, gone, form, StreamWriter.SIGN);
    }

    HeartbeatStream(
            HttpServletResponse response,
            BooleanSupplier gone,
            HeartbeatFormat form,
            Duration sign) {
        this.response = response;
        this.gone = gone;
        this.form = form;
        this.sign = sign;
    }

    /** Ties it to its request, so that errors find it. */
    public HeartbeatStream attachedTo(ServletRequest request) {
        request.setAttribute(HeartbeatStream.class.getName(), this);
        return this;
    }

    /** That of a request, if there is one. */
    public static Optional<HeartbeatStream> of(ServletRequest request) {
        return Optional.ofNullable(request.getAttribute(HeartbeatStream.class.getName()))
                .map(HeartbeatStream.class::cast);
    }

    /** Whether the status and the first signs are sent. */
    public boolean hasBegun() {
        return sink.isPresent();
    }

    /**
     * Keeps the client company: to be asked now and then as long as there is nothing to send.
     *
     * @param streams whether the client wants a stream; asked when a sign is due
     * @return whether the client is gone
     */
    public boolean isGone(BooleanSupplier streams) {
        if (broken || gone.getAsBoolean()) {
            return true;
        }
        if (System.nanoTime() - last > sign.toNanos() && streams.getAsBoolean()) {
            last = System.nanoTime();
            try {
                sendAll(form.waiting());
            } catch (IOException e) {
                broken = true;
            }
        }
        return broken;
    }

    private void sendAll(List<StreamEvent> events) throws IOException {
        if (sink.isEmpty()) {
            sink = Optional.of(form.stream().open(response));
        }
        for (StreamEvent event : events) {
            sink.get().send(event);
        }
    }

    /** What it said so far. */
    HeartbeatFormat form() {
        return form;
    }

    /** Tells in the stream, which began, why nothing comes. */
    public void fail(ApiException error, SettingNames names) throws IOException {
        sendAll(form.failure(error, names));
    }
}
