package dev.varve.platform.http.upstream;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.util.Locale;
import java.util.Optional;

/**
 * A reply whose headers have arrived. {@link #close} cancels an incomplete one. Not thread-safe.
 *
 * @param status HTTP status
 * @param body body of the reply
 * @param timeout for the next bytes
 */
record UpstreamReply(int status, HttpHeaders headers, ReplyBody body, UpstreamWait timeout)
        implements AutoCloseable {
    static UpstreamReply of(HttpResponse<ReplyBody> response, UpstreamWait timeout) {
        return new UpstreamReply(
                response.statusCode(), response.headers(), response.body(), timeout);
    }

    String contentType() {
        return headers.firstValue("Content-Type").orElse("");
    }

    boolean isSuccess() {
        return status / 100 == 2;
    }

    /** Returns whether the reply is an event stream. */
    boolean isStream() {
        return isSuccess()
                && contentType().toLowerCase(Locale.ROOT).startsWith("text/event-stream");
    }

    /** Returns whether the body has no length, so that its end may be a truncation. */
    boolean endsWithItsConnection() {
        return headers.firstValue("Transfer-Encoding").isEmpty()
                && headers.firstValue("Content-Length").isEmpty();
    }

    /** Returns the next bytes; empty at the end. */
    Optional<byte[]> next() throws IOException, InterruptedException {
        return body.next(timeout);
    }

    /** Returns all bytes, or at least {@code most} if the body is longer; more may follow then. */
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
