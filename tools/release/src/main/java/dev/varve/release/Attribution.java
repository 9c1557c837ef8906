package dev.varve.release;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the work that each file of an installation is from. */
final class Attribution {
    private static final String OWN = "dev.varve";
    private static final String OWN_LICENCE = "Apache-2.0";
    private static final Pattern OWN_JAR = Pattern.compile("(varve-.+)-(\\d[^/]*)\\.jar");
    private static final Pattern UPGRADED = Pattern.compile("lib/(picocli)-(\\d[^/]*)\\.jar");

    /** The first letters of names in the web page's folder of libraries, and npm's packages. */
    private static final Map<String, String> WEB =
            Map.of(
                    "highlight", "cdn-assets",
                    "languages", "cdn-assets",
                    "katex", "katex",
                    "fonts/", "katex",
                    "marked", "marked",
                    "purify", "dompurify",
                    "pdf", "pdfjs-dist");

    private final Sources sources;
    private final Map<String, List<ShippedFile>> files = new LinkedHashMap<>();
    private final Map<String, Component> components = new LinkedHashMap<>();
    private final List<String> unknown = new ArrayList<>();

    private Attribution(Sources sources) {
        this.sources = sources;
    }

    /**
     * Works with their files, and files that no work claims.
     *
     * @param components works in the order of their package URLs
     * @param unknown paths of files that are from no known work
     */
    record Result(List<Component> components, List<String> unknown) {
        Result {
            components = List.copyOf(components);
            unknown = List.copyOf(unknown);
        }
    }

    /** Attributes the files of an installation. */
    static Result of(Path installation, Sources sources) throws IOException {
        Attribution attribution = new Attribution(sources);
        ShippedFile.of(installation).forEach(attribution::add);
        attribution.addJava(installation.resolve("jre/release"));
        return attribution.result();
    }

    /** Adds the Java runtime, which has a file that describes it, if the installation has one. */
    private void addJava(Path description) throws IOException {
        if (!Files.exists(description)) {
            return;
        }
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(description)) {
            properties.load(reader);
        }
        String version = properties.getProperty("JAVA_RUNTIME_VERSION", "").replace("\"", "");
        Component java =
                new Component(
                        Component.Kind.PLATFORM,
                        "",
                        "openjdk",
                        version,
                        "pkg:generic/openjdk@" + version.replace("+", "%2B"),
                        List.of("GPL-2.0-with-classpath-exception"),
                        List.of());
        components.put(java.purl(), java);
        files.put(java.purl(), List.of());
    }

    private Result result() {
        List<Component> found =
                components.values().stream()
                        .map(each -> each.with(files.get(each.purl())))
                        .sorted(Comparator.comparing(Component::purl))
                        .toList();
        return new Result(found, unknown);
    }

    private void add(ShippedFile file) {
        if (isInForeignJar(file)) {
            return; // the digest of the jar covers it
        }
        Optional<Component> component = component(file);
        if (component.isEmpty()) {
            unknown.add(file.path());
            return;
        }
        components.putIfAbsent(component.get().purl(), component.get());
        files.computeIfAbsent(component.get().purl(), _ -> new ArrayList<>()).add(file);
    }

    private static boolean isInForeignJar(ShippedFile file) {
        String jar = file.jar();
        return !jar.isEmpty()
                && !OWN_JAR.matcher(jar.substring(jar.lastIndexOf('/') + 1)).matches();
    }

    private Optional<Component> component(ShippedFile file) {
        if (!file.jar().isEmpty()) {
            return file.isWebLibrary() ? web(file) : nativeLibrary(file);
        }
        return Optional.ofNullable(sources.byDigest().get(file.sha256()))
                .or(() -> own(file))
                .or(() -> upgraded(file));
    }

    private static Optional<Component> own(ShippedFile file) {
        return Optional.of(OWN_JAR.matcher(file.name()))
                .filter(Matcher::matches)
                .map(match -> own(match.group(1), match.group(2)));
    }

    private static Component own(String name, String version) {
        return new Component(
                Component.Kind.LIBRARY,
                OWN,
                name,
                version,
                "pkg:maven/" + OWN + "/" + name + "@" + version,
                List.of(OWN_LICENCE),
                List.of());
    }

    /** A jar whose class files the build rewrites has another digest than the artifact. */
    private Optional<Component> upgraded(ShippedFile file) {
        return Optional.of(UPGRADED.matcher(file.path()))
                .filter(Matcher::matches)
                .flatMap(
                        match ->
                                sources.artifacts().stream()
                                        .filter(each -> each.name().equals(match.group(1)))
                                        .filter(each -> each.version().equals(match.group(2)))
                                        .findFirst());
    }

    private Optional<Component> nativeLibrary(ShippedFile file) {
        String path = file.path().substring(file.jar().length() + "!/natives/".length());
        String folder = path.substring(0, path.indexOf('/'));
        if (folder.endsWith("-kernels")) {
            return own(new ShippedFile(file.jar(), ""));
        }
        String variant = folder.equals("linux-x64-cpu") ? "linux-x64" : folder;
        return sources.packages().stream().filter(each -> each.name().equals(variant)).findFirst();
    }

    private Optional<Component> web(ShippedFile file) {
        String path = file.path().substring(file.path().indexOf("/page/lib/") + 10);
        return WEB.entrySet().stream()
                .filter(each -> path.startsWith(each.getKey()))
                .map(Map.Entry::getValue)
                .flatMap(
                        name ->
                                sources.packages().stream()
                                        .filter(each -> each.name().equals(name)))
                .findFirst();
    }
}
