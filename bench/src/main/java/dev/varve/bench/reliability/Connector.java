package dev.varve.bench.reliability;

import java.net.URI;

/** Makes clients. */
@FunctionalInterface
interface Connector {
    /** A client of a server, with a key. */
    Client to(URI server, String key);
}
