import com.sun.tools.javac.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/**
 * Runs javac and jar for all modules of one build in one process. A process for each module would spend most of its time on
 * loading and compiling javac itself. {@code .ci/javac} starts it and sends it the arguments.
 *
 * <p>Usage: {@code java CompilerServer.java FILE PROCESS}. Writes its port and a secret to the file, which only the user can
 * read, and ends with the process, that of Maven. A request is the secret, the name of the tool, the number of arguments, and the
 * arguments, a line each; the response is what the tool prints, and {@code exit STATUS} as the last line.
 */
final class CompilerServer {
    /** After this time without a request the server returns the memory that it does not need. */
    private static final int IDLE_MILLIS = 5000;

    private final ServerSocket socket;
    private final String secret;
    private final AtomicInteger running = new AtomicInteger();

    private CompilerServer(ServerSocket socket, String secret) {
        this.socket = socket;
        this.secret = secret;
    }

    public static void main(String[] arguments) throws IOException {
        Path file = Path.of(arguments[0]);
        ProcessHandle build = ProcessHandle.of(Long.parseLong(arguments[1])).orElseThrow();
        build.onExit().thenRun(() -> end(file));
        byte[] secret = new byte[16];
        new SecureRandom().nextBytes(secret);
        ServerSocket socket = new ServerSocket();
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        CompilerServer server = new CompilerServer(socket, HexFormat.of().formatHex(secret));
        server.publish(file);
        server.run();
    }

    private static void end(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // The next build uses a file of its own.
        }
        Runtime.getRuntime().halt(0);
    }

    /** Writes the file in one step, so that no client reads half of it. */
    private void publish(Path file) throws IOException {
        Path made = Files.createTempFile(
                file.getParent(),
                "javac",
                ".server",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(made, socket.getLocalPort() + " " + secret + "\n");
        Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private void run() throws IOException {
        boolean collected = true;
        while (true) {
            socket.setSoTimeout(collected ? 0 : IDLE_MILLIS);
            try {
                Socket client = socket.accept();
                collected = false;
                Thread.ofPlatform().start(() -> serve(client));
            } catch (SocketTimeoutException e) {
                if (running.get() == 0) {
                    System.gc();
                    collected = true;
                }
            }
        }
    }

    private void serve(Socket client) {
        running.incrementAndGet();
        try (client;
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
                PrintWriter out = new PrintWriter(client.getOutputStream(), false, StandardCharsets.UTF_8)) {
            if (!secret.equals(in.readLine())) {
                return;
            }
            String tool = in.readLine();
            String[] arguments = Stream.generate(() -> line(in))
                    .limit(Integer.parseInt(in.readLine()))
                    .toArray(String[]::new);
            int status = tool.equals("jar") ? pack(arguments, out) : Main.compile(arguments, out);
            out.println("exit " + status);
        } catch (IOException e) {
            // The client sees that the last line is missing.
        } finally {
            running.decrementAndGet();
        }
    }

    /** One after another: nobody promises that the tool may run twice at a time. */
    private static synchronized int pack(String[] arguments, PrintWriter out) {
        return ToolProvider.findFirst("jar").orElseThrow().run(out, out, arguments);
    }

    private static String line(BufferedReader in) {
        try {
            return in.readLine();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
