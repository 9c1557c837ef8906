package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Tests that options for Java name code that exists: Java ignores the others without a message. */
class JavaOptionsTest {
    private static final String COMMAND = "-XX:CompileCommand=";
    private static final String ANY = "*";

    /** A command for the compilers, such as {@code dontinline,dev.varve.Some::method}. */
    private record Command(String kind, String type, String method) {
        static Command parse(String line) {
            String[] parts = line.substring(COMMAND.length()).split(",|::");
            return new Command(parts[0], parts[1], parts[2]);
        }

        boolean namesOneType() {
            return !type.endsWith(ANY);
        }

        void requireMethod() throws ClassNotFoundException {
            Class<?> found = Class.forName(type, false, JavaOptionsTest.class.getClassLoader());
            assertTrue(
                    method.equals(ANY)
                            || Arrays.stream(found.getDeclaredMethods())
                                    .anyMatch(each -> each.getName().equals(method)),
                    () -> type + " has no method " + method);
        }

        Executable check() {
            return this::requireMethod;
        }
    }

    private static List<Command> commands() throws IOException {
        return Files.readAllLines(Path.of("src/main/conf/java.options")).stream()
                .filter(line -> line.startsWith(COMMAND) && line.contains("::"))
                .map(Command::parse)
                .toList();
    }

    @Test
    void commandsForTheCompilersNameMethodsThatExist() throws IOException {
        List<Command> named = commands().stream().filter(Command::namesOneType).toList();

        assertFalse(named.isEmpty());
        assertAll(named.stream().map(Command::check));
    }

    /** Java applies the last threshold that matches a method. */
    @Test
    void thresholdsOfSingleTypesFollowThoseOfPackages() throws IOException {
        List<Boolean> single =
                commands().stream()
                        .filter(each -> each.kind().equals("CompileThresholdScaling"))
                        .map(Command::namesOneType)
                        .toList();

        assertTrue(
                single.lastIndexOf(false) < single.indexOf(true),
                () -> "single types, in the order of the file: " + single);
    }
}
