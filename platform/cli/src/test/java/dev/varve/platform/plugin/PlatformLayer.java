package dev.varve.platform.plugin;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * The platform as modules, as an installation runs it. Tests run on the class path, where the
 * platform could not distinguish plugins from the rest. This class puts the same jars and folders
 * into a module layer of their own.
 */
final class PlatformLayer {
    private static final List<String> NOT_IN_LIB =
            List.of("test-classes", "-tests.jar", "testkit", "contracts");

    private final Method run;

    private PlatformLayer(Method run) {
        this.run = run;
    }

    static PlatformLayer open() throws ReflectiveOperationException {
        Path[] path =
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .filter(entry -> NOT_IN_LIB.stream().noneMatch(entry::contains))
                        .map(Path::of)
                        .filter(Files::exists)
                        .toArray(Path[]::new);
        ModuleLayer boot = ModuleLayer.boot();
        Configuration configuration =
                boot.configuration()
                        .resolve(
                                ModuleFinder.of(),
                                ModuleFinder.of(path),
                                Set.of("dev.varve.platform.cli"));
        ModuleLayer.Controller controller =
                ModuleLayer.defineModulesWithOneLoader(
                        configuration, List.of(boot), ClassLoader.getPlatformClassLoader());
        Module platform = controller.layer().findModule("dev.varve.platform.cli").orElseThrow();
        controller.addExports(platform, "dev.varve.platform.cli", PlatformLayer.class.getModule());
        return new PlatformLayer(
                platform.getClassLoader()
                        .loadClass("dev.varve.platform.cli.Main")
                        .getMethod("run", PrintWriter.class, PrintWriter.class, String[].class));
    }

    /** The report of {@code varve plugins --json} about a folder. */
    JsonNode plugins(Path folder) throws ReflectiveOperationException {
        Outcome outcome =
                run("plugins", "--json", "--log-level", "off", "--plugins", folder.toString());
        JsonNode found = JsonMapper.shared().readTree(outcome.out());
        int expected = found.get("rejected").isEmpty() ? 0 : 1;
        if (outcome.status() != expected) {
            throw new AssertionError(outcome.toString());
        }
        return found;
    }

    /** Runs a command as {@code varve} would. */
    Outcome run(String... arguments) throws ReflectiveOperationException {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Object status = run.invoke(null, new PrintWriter(out), new PrintWriter(err), arguments);
        return new Outcome((int) status, out.toString(), err.toString());
    }

    /** The exit status and the output of a command. */
    record Outcome(int status, String out, String err) {}
}
