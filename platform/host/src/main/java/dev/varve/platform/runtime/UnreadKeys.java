package dev.varve.platform.runtime;

import dev.varve.api.gguf.GgufFile;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Keys of a model file that change its computation and that its family did not read.
 *
 * @param keys with the architecture, in the order of the file
 */
public record UnreadKeys(GgufFile file, List<String> keys) {
    /** Beginnings of the names of keys that change the computation, without the architecture. */
    private static final List<String> COMPUTING = List.of("rope.", "attention.", "ssm.", "expert_");

    /** Keys whose value changes nothing for text, or repeats the shape of a tensor. */
    private static final Set<String> HARMLESS =
            Set.of(
                    "attention.causal",
                    "attention.layer_norm_epsilon",
                    "rope.dimension_sections",
                    "expert_shared_count");

    /** Copies the list. */
    public UnreadKeys {
        keys = List.copyOf(keys);
    }

    /** Returns what a family has not read of a file that it has opened. */
    public static UnreadKeys of(GgufFile file) {
        String prefix = file.architecture() + ".";
        return new UnreadKeys(
                file,
                file.metadata().unreadKeys().stream()
                        .filter(key -> key.startsWith(prefix))
                        .filter(key -> computes(key.substring(prefix.length())))
                        .toList());
    }

    private static boolean computes(String name) {
        return !HARMLESS.contains(name) && COMPUTING.stream().anyMatch(name::startsWith);
    }

    /** Returns a warning for the operator, if there are such keys. */
    public Optional<String> warning() {
        return keys.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        file.path().getFileName()
                                + ": not supported, so that responses may be wrong: "
                                + String.join(", ", keys));
    }
}
