package dev.varve.platform.http.upstream;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.util.Locale;
import java.util.Optional;

/**
 * A reply whose headers are there. {@link #close} ends it where it is not complete. One thread.
 *
 * @param status HTTP status
 * @param body what follows
 * @param patience how long it is waited for
 */
record UpstreamReply(int status, HttpHeaders headers, ReplyBody body, UpstreamTimeout patience)
        implements AutoCloseable {
    static UpstreamReply of(HttpResponse<ReplyBody> response, UpstreamTimeout patience) {
        return new UpstreamReply(
                response.statusCode(), response.headers(), response.body(), patience);
    }

    String contentType() {
        return headers.firstValue("Content-Type").orElse("");
    }

    boolean isSuccess() {
        return status / 100 == 2;
    }

    /** Whether it is a stream of events. */
    boolean isStream() {
        return isSuccess()
                && contentType().toLowerCase(Locale.ROOT).startsWith("text/event-stream");
    }

    /** Whether a body that just ends may have been cut short. */
    boolean endsWithItsConnection() {
        return headers.firstValue("Transfer-Encoding").isEmpty()
                && headers.firstValue("Content-Length").isEmpty();
    }

    /** The next bytes; empty at the end. */
    Optional<byte[]> next() throws IOException, InterruptedException {
        return body.next(patience);
    }

    /** All bytes, or so many and a few more: then there may be others. */
    byte[] upTo(int most) throws IOException, InterruptedException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        Optional<byte[]> part = next();
        while (part.isPresent()) {
            all.writeBytes(part.get());
            part = all.size() < most ? next() : Optional.empty();
        }
        return all.toByteArray();
    }

    @Override
    public void close() {
        body.cancel();
    }
}
