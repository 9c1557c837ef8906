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
                    "Folder whose models are served, too, each loaded by the first request that"
                            + " names it; may be repeated. Files that are added or replaced are"
                            + " noticed; draft models and projectors are passed over.",
            order = 2)
    private List<Path> folders = List.of();

    @Option(
            names = "--model-ttl",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description =
                    "Unload a model that no request has used for so long, such as 90s, 15m or 2h,"
                            + " and load it for the next one (default: keep it until another model"
                            + " needs its memory).",
            order = 3)
    private Optional<Duration> ttl = Optional.empty();

    @Option(
            names = "--model-alias",
            paramLabel = "NAME=ID",
            description =
                    "Another name of a model, for requests; may be repeated. With * as NAME: all"
                            + " names that mean no model.",
            order = 4)
    private List<String> aliases = List.of();

    @Option(
            names = "--strict-model",
            description =
                    "Refuse requests whose model is none of the ids and aliases. Without it, any"
                            + " name means the model where one is served, and the names that agents"
                            + " send by default (claude-..., gpt-..., chatgpt-..., codex-..., o1,"
                            + " o3 and the like) mean the first one of several.",
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
                                + " behind "
                                + name
                                + "=, found "
                                + id);
            }
            if (ids.contains(name)) {
                throw new UsageException(
                        "--model-alias: " + name + " is the name of a model already");
            }
            if (meanings.put(name, id) != null) {
                throw new UsageException("--model-alias: " + name + " is given twice");
            }
        }
        return new ModelNameResolver(meanings, strict);
    }
}
