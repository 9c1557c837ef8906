package dev.varve.platform.http;

import dev.varve.platform.http.access.Purpose;
import dev.varve.platform.http.answer.Outcome;

import java.io.IOException;

/** A route that is read with GET and that another server answers. */
final class ProxyReadRoute extends Route {
    private static final long serialVersionUID = 1L;

    /** Asks it. */
    interface Reader {
        Outcome read(Exchange exchange) throws IOException, InterruptedException;
    }

    private final transient OpenRequests open;
    private final transient Reader reader;

    ProxyReadRoute(String label, RequestCycle cycle, OpenRequests open, Reader reader) {
        super(label, Purpose.SERVICE, Methods.READ, cycle);
        this.open = open;
        this.reader = reader;
    }

    @Override
    Outcome answer(Exchange exchange) throws IOException, InterruptedException {
        open.begin();
        try {
            return reader.read(exchange);
        } finally {
            open.end();
        }
    }
}
