package dev.varve.platform.host;

import dev.varve.api.transport.TransportOptions;
import dev.varve.platform.remote.BoundaryType;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * How shards of other processes are started and reached.
 *
 * @param command launcher and arguments that make a process a {@code varve shard}; device, model
 *     and where to listen are added. Empty where no process can be started
 * @param workFolder where sockets are made; empty: a private folder among the temporary files
 * @param boundaryType how activations travel
 * @param transport how processes that somebody else started are trusted
 */
@SuppressWarnings("exports") // see package-info
public record ProcessSettings(
        List<String> command,
        Optional<Path> workFolder,
        BoundaryType boundaryType,
        TransportOptions transport) {
    private static final String SUBCOMMAND = "shard";

    /** Checks that nothing is missing. */
    public ProcessSettings {
        command = List.copyOf(command);
        Objects.requireNonNull(workFolder);
        Objects.requireNonNull(boundaryType);
        Objects.requireNonNull(transport);
    }

    /** No process can be started; those that listen are reached without a secret. */
    public static ProcessSettings none() {
        return new ProcessSettings(
                List.of(), Optional.empty(), BoundaryType.F32, TransportOptions.defaults());
    }

    /** Processes of an installation, which use its plugins. */
    public static ProcessSettings launchedBy(Path launcher) {
        return none().withCommand(List.of(launcher.toString(), SUBCOMMAND));
    }

    /** The same with another command. */
    public ProcessSettings withCommand(List<String> other) {
        return new ProcessSettings(other, workFolder, boundaryType, transport);
    }

    /** The same started by another program, which uses its own installation's plugins. */
    public ProcessSettings startedBy(Path launcher) {
        return withCommand(List.of(launcher.toString(), SUBCOMMAND));
    }

    /** The same with sockets in another folder. */
    public ProcessSettings withWorkFolder(Path other) {
        return new ProcessSettings(command, Optional.of(other), boundaryType, transport);
    }

    /** The same with another form of activations. */
    public ProcessSettings with(BoundaryType other) {
        return new ProcessSettings(command, workFolder, other, transport);
    }

    /** The same with other means of trust. */
    public ProcessSettings with(TransportOptions other) {
        return new ProcessSettings(command, workFolder, boundaryType, other);
    }
}
