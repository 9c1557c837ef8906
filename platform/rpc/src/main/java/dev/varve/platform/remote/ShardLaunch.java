package dev.varve.platform.remote;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Parameters to start a shard process.
 *
 * @param name the shard, for messages and log lines
 * @param command launcher and arguments that make it a shard process; the listen address is added
 * @param environment variables beside those of this process
 * @param workFolder folder in which the socket's folder is created; empty: the system's folder for
 *     temporary files
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
