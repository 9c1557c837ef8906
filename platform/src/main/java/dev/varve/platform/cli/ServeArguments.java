package dev.varve.platform.cli;

import dev.varve.platform.runtime.ModelSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import picocli.CommandLine.Option;

/** Options of the server itself. */
final class ServeArguments {
    @Option(names = "--host", defaultValue = "127.0.0.1", paramLabel = "ADDRESS", description = "Address to listen on.", order = 10)
    private String host;

    @Option(
            names = "--port",
            defaultValue = "8080",
            paramLabel = "PORT",
            description = "Port to listen on; 0 takes a free one, which is printed.",
            order = 11)
    private int port;

    @Option(
            names = "--api-key",
            paramLabel = "KEY",
            description = "Key that clients must send; may be given several times. Other users of the machine can see"
                    + " it: better use --api-key-file or VARVE_API_KEY.",
            order = 12)
    private List<String> apiKeys = List.of();

    @Option(
            names = "--api-key-file",
            paramLabel = "FILE",
            description = "File with keys, one a line.",
            order = 13)
    private Optional<Path> apiKeyFile = Optional.empty();

    @Option(
            names = "--insecure",
            description = "Allow an address that other machines can reach without any key.",
            order = 14)
    private boolean insecure;

    @Option(
            names = "--cors-origin",
            paramLabel = "ORIGIN",
            description = "Origin of web pages that may call the server; may be given several times.",
            order = 15)
    private List<String> corsOrigins = List.of();

    @Option(
            names = "--model-name",
            paramLabel = "NAME",
            description = "Name of the model in the API (default: the file's name without .gguf).",
            order = 16)
    private Optional<String> modelName = Optional.empty();

    @Option(
            names = "--chat-template-file",
            paramLabel = "FILE",
            description = "Jinja chat template to use instead of the model's own.",
            order = 17)
    private Optional<Path> chatTemplateFile = Optional.empty();

    @Option(
            names = "--parallel",
            defaultValue = "" + ModelSettings.DEFAULT_PARALLEL,
            paramLabel = "N",
            description = "Most requests that are decoded together.",
            order = 18)
    private int parallel;

    @Option(
            names = "--kv-tokens",
            paramLabel = "N",
            description = "Tokens of the KV pool that all requests share (default: --parallel whole contexts, or what the"
                    + " memory holds).",
            order = 19)
    private Optional<Integer> kvTokens = Optional.empty();

    @Option(
            names = "--max-queue",
            defaultValue = "" + ModelSettings.DEFAULT_QUEUE,
            paramLabel = "N",
            description = "Most requests that wait; more are refused with status 429.",
            order = 20)
    private int maxQueue;

    @Option(
            names = "--max-body",
            defaultValue = "32",
            paramLabel = "MIB",
            description = "Largest request body in MiB.",
            order = 21)
    private int maxBodyMebibytes;

    String host() {
        return host;
    }

    int port() {
        if (port < 0 || port > 65_535) {
            throw new UsageException("--port: expected 0 to 65535, found " + port);
        }
        return port;
    }

    int parallel() {
        return parallel;
    }

    OptionalInt kvTokens() {
        return ModelArguments.positive(kvTokens, "--kv-tokens");
    }

    int maxQueue() {
        return maxQueue;
    }

    long maxBodyBytes() {
        if (maxBodyMebibytes < 1 || maxBodyMebibytes > 1024) {
            throw new UsageException("--max-body: expected 1 to 1024, found " + maxBodyMebibytes);
        }
        return (long) maxBodyMebibytes << 20;
    }

    boolean insecure() {
        return insecure;
    }

    List<String> corsOrigins() {
        return List.copyOf(corsOrigins);
    }

    String modelName(Path model) {
        return modelName.orElseGet(
                () -> model.getFileName().toString().replaceFirst("(-\\d{5}-of-\\d{5})?\\.gguf$", ""));
    }

    Optional<Path> chatTemplateFile() {
        return chatTemplateFile;
    }

    /**
     * Keys from the options, the file and {@code VARVE_API_KEY}.
     *
     * @throws UsageException if a key is empty, the file cannot be read, or the address can be reached by other machines
     *     and there is neither a key nor {@code --insecure}
     */
    Set<String> requireKeys(Environment environment) {
        Set<String> keys = new LinkedHashSet<>(apiKeys);
        environment.variable("VARVE_API_KEY").ifPresent(keys::add);
        apiKeyFile.ifPresent(file -> keys.addAll(read(file)));
        if (keys.stream().anyMatch(String::isBlank)) {
            throw new UsageException("--api-key: expected a key, found an empty one");
        }
        if (keys.isEmpty() && !insecure && !isLoopback()) {
            throw new UsageException("--host " + host + " can be reached by other machines: give --api-key-file FILE or"
                    + " VARVE_API_KEY, or --insecure to serve everybody");
        }
        return keys;
    }

    private boolean isLoopback() {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new UsageException("--host: expected an address of this machine, found " + host);
        }
    }

    private static List<String> read(Path file) {
        try {
            List<String> keys = Files.readAllLines(file).stream()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .toList();
            if (keys.isEmpty()) {
                throw new UsageException("--api-key-file: " + file + " holds no key");
            }
            return keys;
        } catch (IOException e) {
            throw new UsageException("--api-key-file: " + file + " cannot be read: " + e);
        }
    }
}
