package dev.varve.release;

import org.apache.maven.artifact.versioning.ComparableVersion;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Known vulnerabilities, from files of the OSV format, which nothing here fetches: a folder with a
 * file for each, as the archives of the ecosystems Maven and npm have.
 *
 * <p>Source: https://ossf.github.io/osv-schema/
 */
final class Advisories {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final List<JsonNode> documents;

    private Advisories(List<JsonNode> documents) {
        this.documents = documents;
    }

    /** Reads all files {@code *.json} of a folder and of those in it. */
    static Advisories read(Path folder) throws IOException {
        List<JsonNode> documents = new ArrayList<>();
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path :
                    paths.filter(each -> each.toString().endsWith(".json")).sorted().toList()) {
                documents.add(JSON.readTree(path.toFile()));
            }
        }
        return new Advisories(documents);
    }

    int count() {
        return documents.size();
    }

    /** Returns a message for each component and advisory that says that its version is affected. */
    List<String> affecting(List<Component> components) {
        List<String> found = new ArrayList<>();
        for (JsonNode document : documents) {
            if (!document.path("withdrawn").asString("").isEmpty()) {
                continue;
            }
            for (Component component : components) {
                if (isAffected(document, component)) {
                    found.add(
                            component.purl()
                                    + ": "
                                    + document.path("id").asString("")
                                    + " "
                                    + document.path("summary").asString(""));
                }
            }
        }
        return found;
    }

    private static boolean isAffected(JsonNode document, Component component) {
        for (JsonNode affected : document.path("affected")) {
            JsonNode affectedPackage = affected.path("package");
            if (affectedPackage.path("ecosystem").asString("").equals(ecosystem(component))
                    && affectedPackage.path("name").asString("").equals(packageName(component))
                    && hasVersion(affected, component.version())) {
                return true;
            }
        }
        return false;
    }

    private static String ecosystem(Component component) {
        return component.purl().startsWith("pkg:npm/") ? "npm" : "Maven";
    }

    private static String packageName(Component component) {
        if (component.group().isEmpty()) {
            return component.name();
        }
        return component.group()
                + (ecosystem(component).equals("npm") ? "/" : ":")
                + component.name();
    }

    private static boolean hasVersion(JsonNode affected, String version) {
        for (JsonNode each : affected.path("versions")) {
            if (each.asString("").equals(version)) {
                return true;
            }
        }
        for (JsonNode range : affected.path("ranges")) {
            if (!range.path("type").asString("").equals("GIT")
                    && isInRange(range.path("events"), new ComparableVersion(version))) {
                return true;
            }
        }
        return false;
    }

    /** Events are in the order of their versions: each {@code introduced} begins affected ones. */
    private static boolean isInRange(JsonNode events, ComparableVersion version) {
        boolean isAffected = false;
        for (JsonNode event : events) {
            if (version(event, "introduced").filter(from -> isAtLeast(version, from)).isPresent()) {
                isAffected = true;
            }
            if (version(event, "fixed").filter(from -> isAtLeast(version, from)).isPresent()
                    || version(event, "last_affected")
                            .filter(last -> version.compareTo(last) > 0)
                            .isPresent()) {
                isAffected = false;
            }
        }
        return isAffected;
    }

    private static boolean isAtLeast(ComparableVersion version, ComparableVersion least) {
        return version.compareTo(least) >= 0;
    }

    private static Optional<ComparableVersion> version(JsonNode event, String name) {
        return Optional.of(event.path(name).asString(""))
                .filter(text -> !text.isEmpty())
                .map(ComparableVersion::new);
    }
}
