package dev.varve.platform.cli;

import dev.varve.platform.http.upstream.UpstreamServer;

import picocli.CommandLine.Option;

import java.net.URI;
import java.util.Optional;

/** Options of an upstream server that generates instead of a local model. */
final class UpstreamArguments {
    static final String BASE = "--prefill-upstream-base";
    static final String KEY = "--prefill-upstream-key";
    static final String MODEL = "--prefill-upstream-model";

    /** Variable with the key, if the command line has none. */
    static final String KEY_VARIABLE = "VARVE_UPSTREAM_KEY";

    private static final int SECTION = OptionSections.COMPRESSION + 8;

    @Option(
            names = BASE,
            paramLabel = "URL",
            description =
                    "Server that receives the compressed prompts, such as http://host:8000/v1. The"
                        + " base URL of the API of another OpenAI-compatible server, which replaces"
                        + " a model in this process (--model).",
            order = SECTION)
    private Optional<String> base = Optional.empty();

    @Option(
            names = KEY,
            paramLabel = "KEY",
            description =
                    "Key for that server. Other users of the machine can see it: prefer"
                            + " VARVE_UPSTREAM_KEY. Without a key, this server forwards the"
                            + " Authorization header of clients, unless it requires a key itself.",
            order = SECTION + 1)
    private Optional<String> key = Optional.empty();

    @Option(
            names = MODEL,
            paramLabel = "NAME",
            description =
                    "Model name for requests to that server, regardless of the name in client"
                            + " requests.",
            order = SECTION + 2)
    private Optional<String> model = Optional.empty();

    /**
     * Returns the upstream server; empty if a model of this process generates.
     *
     * @throws UsageException whose message begins with the wrong flag
     */
    Optional<UpstreamServer> target(Environment environment) {
        if (base.isEmpty()) {
            requireUnset(key, KEY);
            requireUnset(model, MODEL);
            return Optional.empty();
        }
        URI uri = uri(base.get());
        Optional<String> given = key.or(() -> environment.variable(KEY_VARIABLE));
        if (model.filter(String::isBlank).isPresent()) {
            throw new UsageException(MODEL + ": expected a name, found none");
        }
        try {
            return Optional.of(new UpstreamServer(uri, given, model));
        } catch (IllegalArgumentException e) {
            String source = key.isPresent() ? KEY : KEY_VARIABLE;
            throw new UsageException(source + ": " + e.getMessage());
        }
    }

    private static URI uri(String text) {
        try {
            return UpstreamServer.parseBase(text);
        } catch (IllegalArgumentException e) {
            throw new UsageException(BASE + ": " + e.getMessage());
        }
    }

    private static void requireUnset(Optional<String> value, String flag) {
        if (value.isPresent()) {
            throw new UsageException(flag + ": needs " + BASE + ", the base URL of that server");
        }
    }
}
