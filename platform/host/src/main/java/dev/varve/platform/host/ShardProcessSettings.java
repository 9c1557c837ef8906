package dev.varve.platform.host;

import dev.varve.api.transport.TransportOptions;
import dev.varve.platform.remote.BoundaryType;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Settings to start and reach shards in other processes.
 *
 * @param command launcher and arguments that make a process a {@code varve shard}; device, model
 *     and listen address are added. Empty if no process can be started
 * @param workFolder folder of sockets; empty: a private folder among the temporary files
 * @param boundaryType element type of activations on the wire
 * @param transport trust settings for processes that the operator started
 */
@SuppressWarnings("exports") // see package-info
public record ShardProcessSettings(
        List<String> command,
        Optional<Path> workFolder,
        BoundaryType boundaryType,
        TransportOptions transport) {
    private static final String SUBCOMMAND = "shard";

    /** Checks that nothing is missing. */
    public ShardProcessSettings {
        command = List.copyOf(command);
        Objects.requireNonNull(workFolder);
        Objects.requireNonNull(boundaryType);
        Objects.requireNonNull(transport);
    }

    /** Returns settings without a launcher; listening processes are reached without a secret. */
    public static ShardProcessSettings none() {
        return new ShardProcessSettings(
                List.of(), Optional.empty(), BoundaryType.F32, TransportOptions.defaults());
    }

    /** Returns settings for processes of an installation, which use its plugins. */
    public static ShardProcessSettings launchedBy(Path launcher) {
        return none().startedBy(launcher);
    }

    /** Returns a copy with another launcher, which uses the plugins of its own installation. */
    public ShardProcessSettings startedBy(Path launcher) {
        return new ShardProcessSettings(
                List.of(launcher.toString(), SUBCOMMAND), workFolder, boundaryType, transport);
    }

    /**
     * Returns a copy with any other program.
     *
     * @param program command that makes a process a shard, as {@link SupervisedShard} does
     */
    public ShardProcessSettings startedBy(List<String> program) {
        return new ShardProcessSettings(program, workFolder, boundaryType, transport);
    }

    /** Returns a copy with sockets in another folder. */
    public ShardProcessSettings withWorkFolder(Path other) {
        return new ShardProcessSettings(command, Optional.of(other), boundaryType, transport);
    }

    /** Returns a copy with another element type of activations. */
    public ShardProcessSettings with(BoundaryType other) {
        return new ShardProcessSettings(command, workFolder, other, transport);
    }

    /** Returns a copy with other trust settings. */
    public ShardProcessSettings with(TransportOptions other) {
        return new ShardProcessSettings(command, workFolder, boundaryType, other);
    }
}
