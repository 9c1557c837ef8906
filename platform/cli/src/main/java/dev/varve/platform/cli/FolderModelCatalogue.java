package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.platform.http.serving.LoadableModel;
import dev.varve.platform.http.serving.ModelCatalogue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Catalogue of the named models, followed by models of folders by their ids. Reads a header when a
 * file is new or has changed.
 */
final class FolderModelCatalogue implements ModelCatalogue {
    private static final System.Logger LOG = System.getLogger("dev.varve.http");
    private static final String PROJECTOR = "mmproj";

    /** Result of reading a file; empty if the file is not a model that can be served. */
    private record Known(String stamp, Optional<LoadableModel> source) {}

    private final List<FileModelSource> named;
    private final List<Path> folders;
    private final Architectures served;
    private final Function<ModelHeader, LoadableModel> sources;
    private Map<Path, Known> known = Map.of();

    /**
     * @param sources creates the source of a model from its header
     * @throws VarveException of kind UNREADABLE_FILE if a folder does not exist
     */
    FolderModelCatalogue(
            List<FileModelSource> named,
            List<Path> folders,
            Architectures served,
            Function<ModelHeader, LoadableModel> sources) {
        this.named = List.copyOf(named);
        this.folders = List.copyOf(folders);
        this.served = served;
        this.sources = sources;
        known = look();
    }

    @Override
    public synchronized List<LoadableModel> models() {
        if (!folders.isEmpty()) {
            try {
                known = look();
            } catch (VarveException e) {
                LOG.log(System.Logger.Level.WARNING, e.getMessage());
            }
        }
        Map<String, LoadableModel> all = new LinkedHashMap<>();
        named.forEach(source -> all.put(source.outline().id(), source));
        Map<String, LoadableModel> found = new TreeMap<>();
        known.values()
                .forEach(
                        each ->
                                each.source()
                                        .ifPresent(
                                                source ->
                                                        found.putIfAbsent(
                                                                source.outline().id(), source)));
        found.forEach(all::putIfAbsent);
        return new ArrayList<>(all.values());
    }

    private boolean isNamed(Path file) {
        return named.stream().anyMatch(source -> source.isOf(file));
    }

    private Map<Path, Known> look() {
        Map<Path, Known> now = new LinkedHashMap<>();
        Map<String, Path> ids = new HashMap<>();
        for (Path folder : folders) {
            for (Path file : ModelSearchPath.models(folder)) {
                if (isNamed(file)) {
                    continue;
                }
                find(file).ifPresent(each -> now.put(file, each));
                Path other = ids.putIfAbsent(ModelSearchPath.id(file), file);
                if (other != null && !known.containsKey(file)) {
                    note(file, "has the same name as " + other);
                }
            }
        }
        return now;
    }

    private Optional<Known> find(Path file) {
        String stamp;
        try {
            stamp = ModelHeader.stamp(file);
        } catch (VarveException e) {
            // The file was just deleted.
            return Optional.empty();
        }
        Known before = known.get(file);
        return Optional.of(
                before != null && before.stamp().equals(stamp)
                        ? before
                        : new Known(stamp, read(file)));
    }

    private Optional<LoadableModel> read(Path file) {
        if (file.getFileName().toString().toLowerCase(Locale.ROOT).contains(PROJECTOR)) {
            return Optional.empty();
        }
        try {
            ModelHeader header = ModelHeader.read(file);
            String architecture = header.architecture();
            // Draft models and draft heads belong to other models.
            if (served.isDraft(architecture)) {
                return Optional.empty();
            }
            if (!served.models().contains(architecture)) {
                note(file, "no plugin serves architecture " + architecture);
                return Optional.empty();
            }
            return Optional.of(sources.apply(header));
        } catch (VarveException e) {
            // The file may still be copied; its stamp changes then.
            note(file, e.getMessage());
            return Optional.empty();
        }
    }

    private static void note(Path file, String reason) {
        LOG.log(System.Logger.Level.WARNING, "{0} is not served: {1}", file, reason);
    }
}
