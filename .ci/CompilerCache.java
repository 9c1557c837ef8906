import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Creates the start-up cache of javac (JEP 514) that the compilers of all modules use: each module starts its own compiler,
 * which spends half of its time on loading classes. Usage: {@code java CompilerCache.java CACHE SOURCES CLASSES}: compiles the
 * sources once to record the classes that javac needs. It does nothing if the cache exists; if it cannot create the cache, the
 * compilers start without it.
 */
final class CompilerCache {
    private CompilerCache() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path cache = Path.of(arguments[0]);
        if (Files.exists(cache)) {
            return;
        }
        Files.createDirectories(cache.getParent());
        Path made = cache.resolveSibling(cache.getFileName() + "." + ProcessHandle.current().pid());
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "javac").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-J-XX:+UseSerialGC",
                "-J-XX:AOTCacheOutput=" + made,
                "-Xlint:all",
                "-nowarn",
                "-d",
                arguments[2]));
        try (Stream<Path> files = Files.walk(Path.of(arguments[1]))) {
            files.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(command::add);
        }
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        if (process.waitFor() == 0 && Files.exists(made)) {
            Files.move(made, cache, StandardCopyOption.ATOMIC_MOVE);
        } else {
            System.err.println("no start-up cache for javac: " + output);
        }
    }
}
