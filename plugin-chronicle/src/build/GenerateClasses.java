import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.spi.ToolProvider;

import net.openhft.chronicle.values.ValueModel;

/**
 * Generates the one class that Chronicle Map would write and compile whenever it starts, a second
 * each time. Arguments: a folder for sources, a folder for classes.
 */
final class GenerateClasses {
    private static final String PACKAGE = "net.openhft.chronicle.hash";
    private static final String TYPE = "VanillaGlobalMutableState";

    public static void main(String[] arguments) throws Exception {
        Method generator =
                Class.forName("net.openhft.chronicle.values.Generators")
                        .getDeclaredMethod("generateNativeClass", ValueModel.class, String.class);
        generator.setAccessible(true);
        String name = TYPE + "$$Native";
        String text =
                (String)
                        generator.invoke(
                                null,
                                ValueModel.acquire(Class.forName(PACKAGE + "." + TYPE)),
                                name);
        Path source = Path.of(arguments[0], name + ".java");
        Files.createDirectories(source.getParent());
        Files.writeString(source, text);
        int status =
                ToolProvider.findFirst("javac")
                        .orElseThrow()
                        .run(
                                System.out,
                                System.err,
                                "--release",
                                "25",
                                "-nowarn",
                                "-XDignore.symbol.file",
                                "-proc:none",
                                "--class-path",
                                System.getProperty("java.class.path"),
                                "-d",
                                arguments[1],
                                source.toString());
        if (status != 0) {
            throw new IllegalStateException(source + " does not compile");
        }
    }
}
