package dev.varve.platform.cli;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.api.transport.TransportOptions;
import dev.varve.platform.store.FilePermissionCheck;

import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Options of connections to separately started shard processes, and of their security. */
final class TransportArguments {
    private static final String TOKEN_VARIABLE = "VARVE_SHARD_TOKEN";

    @Option(
            names = "--shard-tls-cert",
            paramLabel = "FILE",
            description = "Certificate (PEM) of this side of a connection to another host.",
            order = OptionSections.PROCESSES + 10)
    private Optional<Path> certificate = Optional.empty();

    @Option(
            names = "--shard-tls-key",
            paramLabel = "FILE",
            description = "Private key (PEM) of that certificate.",
            order = OptionSections.PROCESSES + 11)
    private Optional<Path> key = Optional.empty();

    @Option(
            names = "--shard-tls-ca",
            paramLabel = "FILE",
            description =
                    "CA certificates (PEM) to verify the other side. On a shard, only servers with"
                            + " a certificate of these authorities may connect.",
            order = OptionSections.PROCESSES + 12)
    private Optional<Path> trusted = Optional.empty();

    @Option(
            names = "--shard-token-file",
            paramLabel = "FILE",
            description =
                    "File with the secret that server and shard share (also: "
                            + TOKEN_VARIABLE
                            + ").",
            order = OptionSections.PROCESSES + 13)
    private Optional<Path> tokenFile = Optional.empty();

    @Option(
            names = "--shard-insecure",
            description = "Send activations to other hosts in plain text, without TLS.",
            showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
            order = OptionSections.PROCESSES + 14)
    private boolean insecure;

    TransportOptions options(Environment environment) {
        return options(environment, false);
    }

    /** Returns the options; {@code insecurely} is set if another flag allows it. */
    TransportOptions options(Environment environment, boolean insecurely) {
        if (certificate.isPresent() != key.isPresent()) {
            throw new UsageException(
                    "--shard-tls-cert and --shard-tls-key: expected both or none, found only "
                            + (key.isPresent() ? "the key" : "the certificate"));
        }
        Optional<String> token =
                tokenFile
                        .map(TransportArguments::secret)
                        .or(() -> environment.variable(TOKEN_VARIABLE))
                        .map(String::strip);
        if (token.isPresent() && token.get().isEmpty()) {
            throw new UsageException("--shard-token-file: expected a secret, found nothing");
        }
        return new TransportOptions(
                TransportOptions.defaults().connectLimit(),
                certificate.flatMap(
                        chain -> key.map(secret -> new TransportOptions.Identity(chain, secret))),
                trusted,
                token,
                insecure || insecurely);
    }

    private static String secret(Path file) {
        String secret = TextFile.read("--shard-token-file", file);
        try {
            FilePermissionCheck.exposed(file)
                    .ifPresent(
                            reason -> {
                                throw new VarveException(
                                        VarveException.Kind.UNREADABLE_FILE,
                                        "--shard-token-file: "
                                                + reason
                                                + "; expected a file that only its owner can read"
                                                + " (chmod 600)");
                            });
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    "--shard-token-file: " + file + ": cannot be read: " + FileErrors.reason(e),
                    e);
        }
        return secret;
    }
}
