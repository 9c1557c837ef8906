package dev.varve.platform.cli;

import dev.varve.platform.http.serving.IdleTtl;
import dev.varve.platform.http.serving.ModelNameResolver;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Options of further models: folders, idle time-to-live and aliases. */
final class MultiModelArguments {
    @Option(
            names = "--models",
            paramLabel = "FOLDER",
            description =
                    "Folder whose models are also served; the first request that names a model"
                        + " loads it. May be repeated. The server notices added and replaced files;"
                        + " it ignores draft models and projectors.",
            order = 2)
    private List<Path> folders = List.of();

    @Option(
            names = "--model-ttl",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description =
                    "Idle time after which a model is unloaded, such as 15m (default: none). The"
                            + " next request loads it again. Without this flag a model stays loaded"
                            + " until another one needs its memory.",
            order = 3)
    private Optional<Duration> ttl = Optional.empty();

    @Option(
            names = "--model-alias",
            paramLabel = "NAME=ID",
            description =
                    "Additional name of a model, for requests; may be repeated. NAME * stands for"
                            + " all unknown names.",
            order = 4)
    private List<String> aliases = List.of();

    @Option(
            names = "--strict-model",
            description =
                    "Refuse requests whose model is no id and no alias. Without this flag any name"
                        + " means the model if only one is served; among several models, the names"
                        + " that agents send by default (claude-..., gpt-..., chatgpt-...,"
                        + " codex-..., o1, o3 and similar) mean the first one.",
            showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
            order = 5)
    private boolean strict;

    List<Path> folders() {
        return folders;
    }

    /** Whether models are loaded and unloaded while the server runs, even if there is only one. */
    boolean areLoadedOnDemand() {
        return !folders.isEmpty() || ttl.isPresent();
    }

    /** Idle time-to-live of models. */
    IdleTtl keeping() {
        return ttl.map(IdleTtl::idle).orElseGet(IdleTtl::always);
    }

    /**
     * Returns the resolver of model names.
     *
     * @param ids of all models that exist at the start
     * @throws UsageException if an alias refers to none of them, or equals the name of one
     */
    ModelNameResolver names(Collection<String> ids) {
        Map<String, String> meanings = new LinkedHashMap<>();
        for (String alias : aliases) {
            int at = alias.indexOf('=');
            String name = at < 0 ? "" : alias.substring(0, at);
            String id = alias.substring(at + 1);
            if (name.isEmpty() || id.isEmpty()) {
                throw new UsageException(
                        "--model-alias: expected the form NAME=ID, found " + alias);
            }
            if (!ids.contains(id)) {
                throw new UsageException(
                        "--model-alias: expected one of the models "
                                + String.join(", ", ids)
                                + " after "
                                + name
                                + "=, found "
                                + id);
            }
            if (ids.contains(name)) {
                throw new UsageException(
                        "--model-alias: " + name + " is already the name of a model");
            }
            if (meanings.put(name, id) != null) {
                throw new UsageException("--model-alias: " + name + " occurs twice");
            }
        }
        return new ModelNameResolver(meanings, strict);
    }
}
