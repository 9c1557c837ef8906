package dev.varve.platform.cli;

import dev.varve.platform.chat.ReasoningDefaults;
import dev.varve.platform.http.upstream.UpstreamServer;
import dev.varve.platform.sampling.SamplingValues;

import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

import java.net.URI;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** Options of a chat with a running server instead of a model in this process. */
final class RemoteChatArguments {
    static final String URL = "--url";
    private static final String MODEL = "--url-model";
    private static final String KEY = "--api-key";
    private static final String KEY_VARIABLE = "VARVE_API_KEY";
    private static final String VERSION_PATH = "/v1";

    /** Flags that apply to a server's model, too, beside those of sampling. */
    private static final Set<String> KNOWN =
            Set.of(
                    URL,
                    MODEL,
                    KEY,
                    "--system",
                    "--max-tokens",
                    "--no-history",
                    "--reasoning-budget",
                    "--enable-thinking",
                    "--log-level",
                    "--debug");

    @Option(
            names = URL,
            paramLabel = "URL",
            description =
                    "Server to chat with instead of a model in this process, such as"
                            + " http://127.0.0.1:8080. Any server with OpenAI's chat completions;"
                            + " without a path, /v1 is added.",
            order = 3)
    private Optional<String> url = Optional.empty();

    @Option(
            names = MODEL,
            paramLabel = "NAME",
            description = "Model of that server (default: the first one that it lists).",
            order = 3)
    private Optional<String> model = Optional.empty();

    @Option(
            names = KEY,
            paramLabel = "KEY",
            description =
                    "Key for that server. Other users of the machine can see it: prefer"
                            + " VARVE_API_KEY.",
            order = 3)
    private Optional<String> key = Optional.empty();

    /** Returns whether the chat is with a server. */
    boolean isGiven() {
        return url.isPresent();
    }

    /**
     * Checks that the other flags apply.
     *
     * @throws UsageException naming the first one that does not
     */
    void check(ParseResult parsed) {
        if (!isGiven()) {
            requireUnset(model, MODEL);
            requireUnset(key, KEY);
            return;
        }
        server(Optional.empty());
        if (parsed.hasMatchedPositional(0)) {
            throw new UsageException(
                    URL
                            + " and MODEL: expected only one of them, found both; "
                            + MODEL
                            + " names a model of the server");
        }
        for (OptionSpec option : parsed.matchedOptions()) {
            if (!KNOWN.contains(option.longestName()) && !SamplingArguments.has(option)) {
                throw new UsageException(
                        option.longestName()
                                + ": applies to a model in this process, but "
                                + URL
                                + " names a server");
            }
        }
    }

    private static void requireUnset(Optional<String> value, String flag) {
        if (value.isPresent()) {
            throw new UsageException(flag + ": needs " + URL);
        }
    }

    /**
     * Connects to the server and chooses its model.
     *
     * @param sampling values of flags
     * @param reasoning whether and how long the model reasons, if flags say so
     * @param maxTokens most tokens of a response; empty for the server's default
     */
    RemoteChatModel open(
            Environment environment,
            SamplingValues sampling,
            ReasoningDefaults reasoning,
            OptionalInt maxTokens)
            throws InterruptedException {
        ChatServerClient client = new ChatServerClient(server(environment.variable(KEY_VARIABLE)));
        return new RemoteChatModel(
                client,
                client.model(model),
                new RemoteChatModel.Settings(sampling, reasoning, maxTokens));
    }

    private UpstreamServer server(Optional<String> variable) {
        Optional<String> given = key.or(() -> variable);
        URI base;
        try {
            base = UpstreamServer.parseBase(url.orElseThrow());
        } catch (IllegalArgumentException e) {
            throw new UsageException(URL + ": " + e.getMessage());
        }
        try {
            return new UpstreamServer(
                    base.getRawPath().isEmpty() ? URI.create(base + VERSION_PATH) : base,
                    given,
                    Optional.empty());
        } catch (IllegalArgumentException e) {
            throw new UsageException(
                    (key.isPresent() ? KEY : KEY_VARIABLE) + ": " + e.getMessage());
        }
    }
}
