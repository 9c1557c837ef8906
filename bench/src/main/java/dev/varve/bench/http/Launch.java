package dev.varve.bench.http;

import dev.varve.bench.http.stream.Target;

import java.net.URI;
import java.util.Optional;

/**
 * A server that does not run yet.
 *
 * @param command of a shell, with {@value ServerProcess#PORT} in it
 * @param model name of the model in requests; without one, requests name none
 * @param apiKey key sent with each request, never shown
 */
record Launch(String command, Optional<String> model, Optional<String> apiKey) {
    /** Returns the server, once it listens. */
    Target at(URI base) {
        return new Target(base, model, apiKey);
    }
}
