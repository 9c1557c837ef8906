package dev.varve.platform.http;

import dev.varve.platform.http.json.ApiException;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Refuses plain HTTP requests to a server with TLS, with an error that says so. */
final class TlsOnlyHandler extends Handler.Wrapper {
    private static final int STATUS = 400;
    private static final String WORDS =
            "this server requires HTTPS: use https:// instead of http://";

    TlsOnlyHandler(Handler next) {
        super(next);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        if (request.isSecure()) {
            return super.handle(request, response, callback);
        }
        response.setStatus(STATUS);
        response.getHeaders().put(HttpFields.CONNECTION_CLOSE);
        ApiException error = ApiException.status(STATUS, "https_only", WORDS);
        JsonErrorHandler.write(request, response, error, callback);
        return true;
    }
}
