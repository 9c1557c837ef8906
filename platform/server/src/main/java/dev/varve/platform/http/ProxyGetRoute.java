package dev.varve.platform.http;

import dev.varve.platform.http.access.RouteAccess;
import dev.varve.platform.http.answer.RequestOutcome;

import java.io.IOException;

/** A GET route that is forwarded to the upstream server. */
final class ProxyGetRoute extends Route {
    private static final long serialVersionUID = 1L;

    /** Sends the request to the upstream server. */
    interface Reader {
        RequestOutcome read(Exchange exchange) throws IOException, InterruptedException;
    }

    private final transient RequestDrain open;
    private final transient Reader reader;

    ProxyGetRoute(String label, RequestLifecycle cycle, RequestDrain open, Reader reader) {
        super(label, RouteAccess.SERVICE, Methods.READ, cycle);
        this.open = open;
        this.reader = reader;
    }

    @Override
    RequestOutcome answer(Exchange exchange) throws IOException, InterruptedException {
        open.begin();
        try {
            return reader.read(exchange);
        } finally {
            open.end();
        }
    }
}
