import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * Creates the start-up cache of an installation that was just assembled, with the Java that runs this. Usage: {@code java
 * StartRecord.java INSTALLATION CACHE}; the cache folder holds unpacked libraries. It does nothing if the installation has
 * not changed since. Without the cache the first server creates one, so a failure is only reported.
 */
final class StartRecord {
    private static final List<String> PARTS = List.of("lib", "bin", "conf");

    private StartRecord() {}

    public static void main(String[] arguments) throws Exception {
        Path installation = Path.of(arguments[0]);
        Path described = installation.resolve("start/content");
        String content = digest(installation);
        if (Files.exists(described)
                && Files.exists(installation.resolve("start/start.aot"))
                && Files.readString(described).equals(content)) {
            return;
        }
        Files.deleteIfExists(described);
        ProcessBuilder builder = new ProcessBuilder(
                        installation.resolve("bin/varve").toString(), "warm-up", "--into-installation")
                .redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("VARVE_"));
        builder.environment().put("VARVE_JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("VARVE_CACHE", arguments[1]);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes());
        if (process.waitFor() == 0) {
            Files.writeString(described, content);
        } else {
            System.err.println("no start-up cache for the installation: " + output);
        }
    }

    /** Digest of the Java version, of the installation's place, and of the files that a start depends on. */
    private static String digest(Path installation) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        digest.update(System.getProperty("java.home").getBytes());
        digest.update(Runtime.version().toString().getBytes());
        // The cache names the folder of the jars, so it does not fit a copied or moved installation.
        digest.update(installation.toRealPath().toString().getBytes());
        for (String part : PARTS) {
            try (Stream<Path> files = Files.walk(installation.resolve(part))) {
                for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                    digest.update(installation.relativize(file).toString().getBytes());
                    digest.update(Files.readAllBytes(file));
                }
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
