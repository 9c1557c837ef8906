package dev.varve.platform.hub;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds the models of Ollama and LM Studio on this machine. It only reads.
 *
 * <p>Ollama: {@code manifests/HOST/NAMESPACE/MODEL/TAG} is JSON whose layers name blobs; the layer
 * of media type {@value #MODEL_LAYER} is a GGUF file, {@code blobs/sha256-DIGEST}. LM Studio:
 * {@code OWNER/REPOSITORY/NAME.gguf}.
 */
public final class OtherModelFolders {
    private static final String MODEL_LAYER = "application/vnd.ollama.image.model";
    private static final Pattern DIGEST = Pattern.compile("sha256:([0-9a-f]{64})");
    private static final int MANIFEST_DEPTH = 4;
    private static final long MOST_MANIFEST_BYTES = 1 << 20;

    /**
     * A model of another program.
     *
     * @param name as that program shows it
     */
    public record Found(String name, Path file) {}

    private final Map<String, String> variables;

    /**
     * @param variables environment variables: {@code HOME}, {@code OLLAMA_MODELS}
     */
    public OtherModelFolders(Map<String, String> variables) {
        this.variables = Map.copyOf(variables);
    }

    /**
     * Returns the models of each program in each of its folders that exists. Subfolders that cannot
     * be read are left out.
     */
    public Map<Path, List<Found>> models() {
        Map<Path, List<Found>> found = new LinkedHashMap<>();
        Path home = HubSettings.userHome(variables);
        Stream.of(
                        HubSettings.variable(variables, "OLLAMA_MODELS").map(Path::of),
                        Optional.of(home.resolve(".ollama/models")),
                        Optional.of(Path.of("/usr/share/ollama/.ollama/models")))
                .flatMap(Optional::stream)
                .filter(folder -> Files.isReadable(folder.resolve("manifests")))
                .forEach(folder -> found.put(folder, ofOllama(folder)));
        Stream.of(home.resolve(".lmstudio/models"), home.resolve(".cache/lm-studio/models"))
                .filter(Files::isReadable)
                .forEach(folder -> found.put(folder, ofLmStudio(folder)));
        return found;
    }

    private static List<Found> ofOllama(Path folder) {
        Path manifests = folder.resolve("manifests");
        List<Found> found = new ArrayList<>();
        for (Path manifest : files(manifests, MANIFEST_DEPTH)) {
            Path name = manifests.relativize(manifest);
            if (name.getNameCount() == MANIFEST_DEPTH) {
                layer(manifest)
                        .map(digest -> folder.resolve("blobs").resolve("sha256-" + digest))
                        .filter(Files::isRegularFile)
                        .ifPresent(blob -> found.add(new Found(ollamaName(name), blob)));
            }
        }
        return found;
    }

    /** Name of a model as Ollama shows it, without the parts that are its defaults. */
    private static String ollamaName(Path manifest) {
        String name = manifest.getName(2) + ":" + manifest.getName(3);
        String owner = manifest.getName(1).toString();
        String host = manifest.getName(0).toString();
        if (!host.equals("registry.ollama.ai")) {
            return host + "/" + owner + "/" + name;
        }
        return owner.equals("library") ? name : owner + "/" + name;
    }

    private static Optional<String> layer(Path manifest) {
        try {
            if (Files.size(manifest) > MOST_MANIFEST_BYTES) {
                return Optional.empty();
            }
            for (JsonNode layer :
                    JsonMapper.shared().readTree(Files.readAllBytes(manifest)).path("layers")) {
                Matcher digest = DIGEST.matcher(layer.path("digest").asString(""));
                if (layer.path("mediaType").asString("").equals(MODEL_LAYER) && digest.matches()) {
                    return Optional.of(digest.group(1));
                }
            }
        } catch (IOException | JacksonException e) {
            // Another program's damaged file is no reason to hide its other models.
        }
        return Optional.empty();
    }

    private static List<Found> ofLmStudio(Path folder) {
        return files(folder, 3).stream()
                .filter(file -> file.toString().endsWith(".gguf"))
                .filter(
                        file ->
                                RepositoryFiles.partNames(file.toString())
                                        .getFirst()
                                        .equals(file.toString()))
                .map(file -> new Found(folder.relativize(file).toString(), file))
                .toList();
    }

    private static List<Path> files(Path folder, int depth) {
        List<Path> files = new ArrayList<>();
        try {
            Files.walkFileTree(
                    folder,
                    Set.of(),
                    depth,
                    new SimpleFileVisitor<>() {
                        @Override
                        public FileVisitResult visitFile(Path file, BasicFileAttributes kind) {
                            if (Files.isRegularFile(file)) {
                                files.add(file);
                            }
                            return FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult visitFileFailed(Path file, IOException e) {
                            return FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult postVisitDirectory(Path subfolder, IOException e) {
                            return FileVisitResult.CONTINUE;
                        }
                    });
        } catch (IOException e) {
            throw new AssertionError("the visitor throws no exception", e);
        }
        Collections.sort(files);
        return files;
    }
}
