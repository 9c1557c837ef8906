package dev.varve.release;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;

/**
 * Works that the build may put into a release: the resolved dependencies of Maven, as its CycloneDX
 * plugin lists them, and the packages of npm that lock files pin.
 *
 * @param byDigest Maven's artifacts by the SHA-256 of their jars
 * @param artifacts Maven's artifacts
 * @param packages npm's packages
 */
record Sources(
        Map<String, Component> byDigest, List<Component> artifacts, List<Component> packages) {
    Sources {
        byDigest = Map.copyOf(byDigest);
        artifacts = List.copyOf(artifacts);
        packages = List.copyOf(packages);
    }

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String MODULES = "node_modules/";

    /** Lock files of npm whose packages are in a release. */
    private static final List<String> LOCKS =
            List.of(
                    "natives/cpu/package-lock.json",
                    "natives/vulkan/package-lock.json",
                    "natives/cuda/package-lock.json",
                    "platform/server/page/package-lock.json");

    /**
     * Reads them.
     *
     * @param root folder of the sources
     * @param resolved Maven's dependencies in the format of CycloneDX
     * @param corrections licences of artifacts whose POM names them wrongly, by {@code
     *     group:artifact} or {@code group}
     */
    static Sources read(Path root, Path resolved, Properties corrections) throws IOException {
        Map<String, Component> byDigest = new TreeMap<>();
        List<Component> artifacts = new ArrayList<>();
        for (JsonNode each : JSON.readTree(resolved.toFile()).path("components")) {
            Component component = artifact(each, corrections);
            artifacts.add(component);
            digest(each).ifPresent(digest -> byDigest.put(digest, component));
        }
        List<Component> packages = new ArrayList<>();
        for (String lock : LOCKS) {
            packages.addAll(packages(Files.readString(root.resolve(lock))));
        }
        return new Sources(byDigest, artifacts, packages);
    }

    private static Component artifact(JsonNode node, Properties corrections) {
        String group = node.path("group").asString("");
        String name = node.path("name").asString("");
        String version = node.path("version").asString("");
        List<String> licences = new ArrayList<>();
        for (JsonNode each : node.path("licenses")) {
            JsonNode licence = each.path("license");
            licences.add(licence.path("id").asString(licence.path("name").asString("")));
        }
        String corrected =
                corrections.getProperty(group + ":" + name, corrections.getProperty(group));
        return new Component(
                Component.Kind.LIBRARY,
                group,
                name,
                version,
                "pkg:maven/" + group + "/" + name + "@" + version,
                corrected == null ? licences : List.of(corrected.split(" or ")),
                List.of());
    }

    private static Optional<String> digest(JsonNode node) {
        for (JsonNode hash : node.path("hashes")) {
            if (hash.path("alg").asString("").equals("SHA-256")) {
                return Optional.of(hash.path("content").asString(""));
            }
        }
        return Optional.empty();
    }

    /** Returns the packages of a lock file that are not for tests only. */
    static List<Component> packages(String lock) {
        List<Component> packages = new ArrayList<>();
        JSON.readTree(lock)
                .path("packages")
                .forEachEntry(
                        (path, node) -> {
                            if (path.startsWith(MODULES)
                                    && !node.path("dev").asBoolean(false)
                                    && !node.path("optional").asBoolean(false)) {
                                packages.add(npm(path.substring(MODULES.length()), node));
                            }
                        });
        return List.copyOf(packages);
    }

    private static Component npm(String path, JsonNode node) {
        int slash = path.indexOf('/');
        String group = slash < 0 ? "" : path.substring(0, slash);
        String name = path.substring(slash + 1);
        String version = node.path("version").asString("");
        String scope = group.isEmpty() ? "" : group.replace("@", "%40") + "/";
        String licence = node.path("license").asString("");
        return new Component(
                Component.Kind.LIBRARY,
                group,
                name,
                version,
                "pkg:npm/" + scope + name + "@" + version,
                licence.isEmpty()
                        ? List.of()
                        : List.of(licence.replaceAll("[()]", "").split(" OR ")),
                List.of());
    }
}
