package dev.varve.platform.http;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.setting.SettingNames;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

import java.util.Objects;

/**
 * Writes errors that occur before a request reaches its route, such as malformed headers, in the
 * same form as all other errors.
 */
final class JsonErrorHandler extends ErrorHandler {
    @Override
    public boolean errorPageForMethod(String method) {
        return true;
    }

    @Override
    protected void generateResponse(
            Request request,
            Response response,
            int status,
            String message,
            Throwable cause,
            Callback callback) {
        write(request, response, error(status), callback);
    }

    /** Writes and logs an error, with the headers and in the form that its client expects. */
    static void write(Request request, Response response, ApiException error, Callback callback) {
        String id = RequestId.put(request, response);
        HttpFields.Mutable headers = response.getHeaders();
        headers.put(HttpHeader.CONTENT_TYPE, "application/json");
        if (error.isFinal()) {
            headers.put("x-should-retry", "false");
        }
        RequestLog.logRejected(request, id, error);
        String body = Json.write(form(request).body(error, SettingNames.IDENTIFIERS, id));
        Content.Sink.write(response, true, body, callback);
    }

    /** Chooses the error form by as much of the request as was read. */
    private static ErrorForm form(Request request) {
        String path = Objects.requireNonNullElse(request.getHttpURI().getPath(), "");
        return ErrorForm.of(
                path,
                path.startsWith("/v1/messages")
                        || request.getHeaders().contains("anthropic-version"));
    }

    /**
     * Returns the error for a status. Jetty's own reasons may quote the request, so they are not
     * sent.
     */
    private static ApiException error(int status) {
        String message =
                switch (status) {
                    case 400 ->
                            "the request is not valid HTTP: check its target, Host and other"
                                    + " headers";
                    case 408 -> "the client sent the request too slowly";
                    case 414 ->
                            "the request's target is longer than "
                                    + JettyServer.REQUEST_HEADER_BYTES
                                    + " bytes";
                    case 431 ->
                            "the request's headers are longer than "
                                    + JettyServer.REQUEST_HEADER_BYTES
                                    + " bytes";
                    default -> HttpStatus.getMessage(status);
                };
        String code =
                switch (status) {
                    case 414 -> "uri_too_long";
                    case 431 -> "headers_too_large";
                    case 500 -> "internal_error";
                    default -> "";
                };
        return ApiException.status(status, code, message);
    }
}
