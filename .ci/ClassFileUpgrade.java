import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * Copies a jar and gives its classes of Java 5 the format of Java 8, with stack maps. Java's start-up cache leaves out classes
 * of Java 5, so each start would read and verify them, which takes 0.1 s for picocli. Usage: {@code java ClassFileUpgrade.java
 * JAR COPY}.
 */
final class ClassFileUpgrade {
    private ClassFileUpgrade() {}

    public static void main(String[] arguments) throws IOException {
        Path jar = Path.of(arguments[0]);
        Path copy = Path.of(arguments[1]);
        if (Files.exists(copy)) {
            return;
        }
        Files.createDirectories(copy.getParent());
        // Also a copy of another version, which would be a second module of that name.
        try (Stream<Path> others = Files.list(copy.getParent())) {
            for (Path other : others.toList()) {
                Files.delete(other);
            }
        }
        Path fresh = copy.resolveSibling(copy.getFileName() + ".new");
        try (URLClassLoader classes = new URLClassLoader(new URL[] {jar.toUri().toURL()});
                InputStream source = Files.newInputStream(jar);
                OutputStream target = Files.newOutputStream(fresh)) {
            upgrade(source, target, ClassHierarchyResolver.ofClassLoading(classes));
        }
        Files.move(fresh, copy);
    }

    private static void upgrade(InputStream source, OutputStream target, ClassHierarchyResolver classes)
            throws IOException {
        ClassFile format = ClassFile.of(
                StackMapsOption.GENERATE_STACK_MAPS, ClassHierarchyResolverOption.of(classes));
        ZipInputStream in = new ZipInputStream(source);
        ZipOutputStream out = new ZipOutputStream(target);
        for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
            byte[] bytes = in.readAllBytes();
            ZipEntry copied = new ZipEntry(entry.getName());
            copied.setTime(entry.getTime());
            out.putNextEntry(copied);
            out.write(entry.getName().endsWith(".class") ? upgrade(format, bytes) : bytes);
        }
        out.finish();
    }

    private static byte[] upgrade(ClassFile format, byte[] bytes) {
        ClassModel model = format.parse(bytes);
        if (model.majorVersion() >= ClassFile.JAVA_8_VERSION) {
            return bytes;
        }
        ClassTransform version = (builder, element) -> builder.with(
                element instanceof ClassFileVersion ? ClassFileVersion.of(ClassFile.JAVA_8_VERSION, 0) : element);
        return format.transformClass(model, version.andThen(ClassTransform.transformingMethodBodies(CodeBuilder::with)));
    }
}
