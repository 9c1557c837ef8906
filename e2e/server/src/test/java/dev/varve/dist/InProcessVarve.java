package dev.varve.dist;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The installation's modules in a layer of the test's process, where a command takes milliseconds.
 * For commands that end; ggml's libraries stay loaded.
 */
final class InProcessVarve {
    private static final String CLI = "dev.varve.platform.cli";

    private final Path installation;
    private final Map<String, String> variables;
    private final Constructor<?> environment;
    private final Method execute;

    /**
     * Loads the modules.
     *
     * @param variables environment variables of the commands
     */
    @SuppressWarnings("restricted")
    InProcessVarve(Path installation, Map<String, String> variables)
            throws IOException, ReflectiveOperationException {
        this.installation = installation;
        this.variables = variables;
        ModuleLayer boot = ModuleLayer.boot();
        try (Stream<Path> jars = Files.list(installation.resolve("lib"))) {
            Configuration configuration =
                    boot.configuration()
                            .resolveAndBind(
                                    ModuleFinder.of(),
                                    ModuleFinder.of(jars.toArray(Path[]::new)),
                                    Set.of(CLI));
            ModuleLayer.Controller controller =
                    ModuleLayer.defineModulesWithOneLoader(
                            configuration, List.of(boot), ClassLoader.getPlatformClassLoader());
            Module cli = controller.layer().findModule(CLI).orElseThrow();
            controller.enableNativeAccess(
                    controller.layer().findModule("dev.varve.ggml").orElseThrow());
            controller.addOpens(cli, CLI, InProcessVarve.class.getModule());
            Class<?> type = cli.getClassLoader().loadClass(CLI + ".Environment");
            environment = type.getDeclaredConstructor(Map.class, Optional.class, Set.class);
            environment.setAccessible(true);
            execute =
                    cli.getClassLoader()
                            .loadClass(CLI + ".VarveCommand")
                            .getDeclaredMethod(
                                    "execute",
                                    type,
                                    PrintWriter.class,
                                    PrintWriter.class,
                                    String[].class);
            execute.setAccessible(true);
        }
    }

    /** Runs a command. */
    Varve.Outcome run(String... arguments) throws ReflectiveOperationException {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Object status =
                execute.invoke(
                        null,
                        environment.newInstance(variables, Optional.of(installation), Set.of()),
                        new PrintWriter(out),
                        new PrintWriter(err),
                        Arrays.copyOf(arguments, arguments.length));
        return new Varve.Outcome((int) status, out.toString(), err.toString());
    }
}
