package dev.varve.platform.remote;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How a shard process is started.
 *
 * @param name the shard, for people and log lines
 * @param command launcher and arguments that make it a shard process; where to listen is added
 * @param environment variables beside those of this process
 * @param workFolder where the socket's folder is made; empty: the system's folder for temporary
 *     files
 */
public record ShardLaunch(
        String name,
        List<String> command,
        Map<String, String> environment,
        Optional<Path> workFolder) {
    /** Copies the lists. */
    public ShardLaunch {
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
    }
}
