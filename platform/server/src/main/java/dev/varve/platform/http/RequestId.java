package dev.varve.platform.http;

import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;

import java.util.Optional;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/** Id of a request: the client's own if it is safe in headers and logs, otherwise a new one. */
final class RequestId {
    /** Name of the header, in requests and responses. */
    static final String HEADER = "x-request-id";

    /** Name of the response header that Anthropic's clients read. */
    private static final String ANTHROPIC_HEADER = "request-id";

    private static final Pattern SAFE = Pattern.compile("[A-Za-z0-9._:-]{1,128}");

    private RequestId() {}

    /**
     * Sets the headers of a response that identify its request, and returns the id.
     *
     * @param given header of the request
     * @param setHeader sets a header of the response
     */
    static String put(Optional<String> given, BiConsumer<String, String> setHeader) {
        String id =
                given.filter(value -> SAFE.matcher(value).matches())
                        .orElseGet(() -> UUID.randomUUID().toString());
        setHeader.accept(HEADER, id);
        setHeader.accept(ANTHROPIC_HEADER, id);
        return id;
    }

    /** Sets the headers of a response that no route writes. */
    static String put(Request request, Response response) {
        return put(
                Optional.ofNullable(response.getHeaders().get(HEADER))
                        .or(() -> Optional.ofNullable(request.getHeaders().get(HEADER))),
                response.getHeaders()::put);
    }
}
