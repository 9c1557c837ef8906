package dev.varve.plugin.chronicle;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How to run a class of the tests in a process of its own. */
final class ChildJava {
    private ChildJava() {}

    /** With the options of this Java that open it to the libraries. */
    static List<String> command(Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.startsWith("--add-") || option.startsWith("--sun-"))
                .forEach(command::add);
        command.addAll(
                List.of("-Xmx64m", "-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }
}
