package dev.varve.platform.hub;

import java.net.URI;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The response at the end of all redirects. Closing it ends the transfer.
 *
 * @param linkedDigest SHA-256 of the file from {@code X-Linked-ETag}, which the hub sends with the
 *     redirect
 */
record Reply(HttpResponse<TimedBody> response, Optional<String> linkedDigest)
        implements AutoCloseable {
    private static final Pattern RANGE = Pattern.compile("bytes (\\d{1,18})-\\d+/(\\d{1,18}|\\*)");
    private static final Pattern TOTAL = Pattern.compile("bytes .*/(\\d{1,18})");
    private static final Pattern SHA256 = Pattern.compile("(?:W/)?\"?([0-9a-f]{64})\"?");

    int status() {
        return response.statusCode();
    }

    URI uri() {
        return response.uri();
    }

    Optional<String> header(String name) {
        return response.headers().firstValue(name);
    }

    TimedBody body() {
        return response.body();
    }

    /** First position of a partial response, from {@code Content-Range}. */
    OptionalLong rangeBegin() {
        Matcher range = RANGE.matcher(header("content-range").orElse(""));
        return range.matches()
                ? OptionalLong.of(Long.parseLong(range.group(1)))
                : OptionalLong.empty();
    }

    /** Length of the whole file, from {@code Content-Range} or {@code Content-Length}. */
    OptionalLong totalBytes() {
        Matcher total = TOTAL.matcher(header("content-range").orElse(""));
        if (total.matches()) {
            return OptionalLong.of(Long.parseLong(total.group(1)));
        }
        return status() == 200
                ? response.headers().firstValueAsLong("content-length")
                : OptionalLong.empty();
    }

    /** The strong entity tag, which identifies these bytes. */
    Optional<String> strongTag() {
        return header("etag").filter(tag -> tag.startsWith("\""));
    }

    /** SHA-256 in a header of a redirect, if it has one. */
    static Optional<String> digest(HttpHeaders headers) {
        return headers.firstValue("x-linked-etag")
                .map(SHA256::matcher)
                .filter(Matcher::matches)
                .map(each -> each.group(1));
    }

    @Override
    public void close() {
        body().close();
    }
}
