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
 * Sends heartbeats to a client that waits for its model to load or for its prompt to be compressed.
 * If the wait is long, the stream begins with heartbeats, since clients and proxies close idle
 * connections. From then on the HTTP status is sent, so errors are reported in the stream. Not
 * thread-safe.
 */
public final class PreResponseHeartbeats {
    private final HttpServletResponse response;
    private final BooleanSupplier disconnected;
    private final HeartbeatFormat form;
    private final Duration heartbeatInterval;
    private Optional<EventSink> sink = Optional.empty();
    private boolean broken;
    private long last = System.nanoTime();

    /**
     * Makes a stream that has not begun; {@code disconnected} returns whether the client closed its
     * connection.
     *
     * @param form format of the route's heartbeats and errors
     */
    public PreResponseHeartbeats(
            HttpServletResponse response, BooleanSupplier disconnected, HeartbeatFormat form) {
        this(response, disconnected, form, StreamingResponseWriter.HEARTBEAT_INTERVAL);
    }

    PreResponseHeartbeats(
            HttpServletResponse response,
            BooleanSupplier disconnected,
            HeartbeatFormat form,
            Duration heartbeatInterval) {
        this.response = response;
        this.disconnected = disconnected;
        this.form = form;
        this.heartbeatInterval = heartbeatInterval;
    }

    /** Attaches the stream to its request, so that error handling finds it. */
    public PreResponseHeartbeats attachedTo(ServletRequest request) {
        request.setAttribute(PreResponseHeartbeats.class.getName(), this);
        return this;
    }

    /** Returns the stream of a request, if it has one. */
    public static Optional<PreResponseHeartbeats> of(ServletRequest request) {
        return Optional.ofNullable(request.getAttribute(PreResponseHeartbeats.class.getName()))
                .map(PreResponseHeartbeats.class::cast);
    }

    /** Returns whether the status and the first heartbeat were sent. */
    public boolean hasBegun() {
        return sink.isPresent();
    }

    /**
     * Checks the connection and sends a heartbeat when one is due; call it regularly while the
     * client waits.
     *
     * @param streams whether the client requested a stream; called when a heartbeat is due
     * @return whether the client disconnected
     */
    public boolean isDisconnected(BooleanSupplier streams) {
        if (broken || disconnected.getAsBoolean()) {
            return true;
        }
        if (System.nanoTime() - last > heartbeatInterval.toNanos() && streams.getAsBoolean()) {
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

    /** Returns the format of the heartbeats. */
    HeartbeatFormat form() {
        return form;
    }

    /** Reports an error in a stream that has begun. */
    public void fail(ApiException error, SettingNames names) throws IOException {
        sendAll(form.failure(error, names));
    }
}
