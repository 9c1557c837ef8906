package dev.varve.platform.http;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.setting.SettingNames;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Tells who speaks plain HTTP to a server with TLS so, and answers nothing else. */
final class TlsOnlyHandler extends Handler.Wrapper {
    private static final int STATUS = 400;
    private static final String BODY =
            Json.write(
                    ErrorForm.OPENAI.body(
                            ApiException.status(
                                    STATUS,
                                    "https_only",
                                    "this server speaks HTTPS: ask it with https:// in the place"
                                            + " of http://"),
                            SettingNames.IDENTIFIERS,
                            ""));

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
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        Content.Sink.write(response, true, BODY, callback);
        return true;
    }
}
