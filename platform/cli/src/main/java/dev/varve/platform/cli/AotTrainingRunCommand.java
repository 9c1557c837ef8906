package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceBackendProvider;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Starts a server with the smallest model and sends its first requests. The launcher records this
 * run once per installation and Java version as training of Java's AOT cache, which makes later
 * starts faster. If no request gets a response the run fails, so that the launcher discards a
 * record without the code of a server. The launcher ends a run that takes more than three minutes.
 */
@Command(
        name = "warm-up",
        addMethodSubcommands = false,
        hidden = true,
        description = "Creates the start-up cache; the launcher calls it once.")
final class AotTrainingRunCommand extends CliCommand {
    private static final String STREAM = ",'stream':true,'temperature':0";

    /**
     * Bodies of requests: a short chat without and with a stream, its next turn, whose prefix is
     * cached, and a chat that has called a tool.
     */
    private static final List<String> REQUESTS =
            List.of(
                    chat("{'role':'user','content':'é 0'}", ""),
                    chat("{'role':'user','content':'é 1'}", STREAM),
                    chat(
                            "{'role':'user','content':'é 1'},{'role':'assistant','content':'2'},"
                                    + "{'role':'user','content':'é 3'}",
                            STREAM),
                    chat(
                            "{'role':'user','content':'é 4'},{'role':'assistant','tool_calls':"
                                    + "[{'id':'a','type':'function','function':"
                                    + "{'name':'look','arguments':'{}'}}]},"
                                    + "{'role':'tool','tool_call_id':'a','content':'5'}",
                            STREAM
                                    + ",'tools':[{'type':'function','function':{'name':'look',"
                                    + "'parameters':{'type':'object','properties':{}}}}]"));

    private static final String SUCCESS = "HTTP/1.1 200 ";
    private static final String PROCESSOR = "cpu";
    private static final String DEVICE = "--target-device=cpu:0";

    /** For the start and for each response; long, since the run has a low priority. */
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    @Mixin private PluginOptions plugins;

    @Override
    int run() {
        showHelp();
        // Only the processor: a server may need the memory of other devices meanwhile.
        Optional.ofNullable(plugins.discover(environment()).backends().get(PROCESSOR))
                .ifPresent(this::openDevices);
        execute(
                Writer.nullWriter(),
                "generate",
                "-p",
                "Hi",
                "-n",
                "3",
                DEVICE,
                "--log-level",
                "off");
        return serve().map(this::getResponses).orElseGet(this::failedStart)
                ? 0
                : ExitStatus.FAILURE.code();
    }

    /** Returns a body; its arguments have ' for ". */
    private static String chat(String messages, String options) {
        return ("{'messages':[" + messages + "],'max_tokens':8" + options + "}").replace('\'', '"');
    }

    private boolean failedStart() {
        printMessage("the training run started no server");
        return false;
    }

    private void showHelp() {
        for (String command : new String[] {"serve", "generate"}) {
            execute(new StringWriter(), command, "--help");
        }
    }

    /** Runs another command of Varve with these output and arguments. */
    private int execute(Writer out, String... arguments) {
        Map<String, String> variables = new HashMap<>(environment().variables());
        variables.remove("VARVE_API_KEY");
        Environment open = new Environment(variables, environment().home(), Set.of());
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        return VarveCommand.execute(open, new PrintWriter(out, true), nowhere, arguments);
    }

    private void openDevices(DeviceBackendProvider backend) {
        try {
            backend.open(plugins.backendOptions(environment())).devices();
        } catch (VarveException e) {
            log("no " + backend.name(), e);
        }
    }

    /**
     * Serves HTTP requests until this process ends, which shuts the server down in order. Returns
     * the server's address; empty if it did not start.
     */
    private Optional<URI> serve() {
        ServedAddress address = new ServedAddress();
        Thread.ofPlatform()
                .daemon(true)
                .start(
                        () -> {
                            // With the log lines of a usual start, whose code is recorded too.
                            execute(address, "serve", "--port", "0", DEVICE, "--log-level", "info");
                            address.found.complete(Optional.empty());
                        });
        return address.found
                .completeOnTimeout(Optional.empty(), TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    private boolean getResponses(URI server) {
        for (String body : REQUESTS) {
            try {
                post(server, body);
            } catch (IOException e) {
                printMessage("the server of the training run gave no response: " + e.getMessage());
                return false;
            }
        }
        return true;
    }

    /**
     * Sends a request and reads the whole response.
     *
     * @throws IOException if the response does not begin with status 200
     */
    static void post(URI server, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        String head =
                "POST /v1/chat/completions HTTP/1.1\r\nHost: "
                        + server.getAuthority()
                        + "\r\n"
                        + "Content-Type: application/json\r\n"
                        + "Connection: close\r\n"
                        + "Content-Length: "
                        + bytes.length
                        + "\r\n\r\n";
        try (Socket socket = new Socket(server.getHost(), server.getPort())) {
            socket.setSoTimeout((int) TIMEOUT.toMillis());
            OutputStream out = socket.getOutputStream();
            out.write(head.getBytes(StandardCharsets.US_ASCII));
            out.write(bytes);
            out.flush();
            String response =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!response.startsWith(SUCCESS)) {
                throw new IOException(response.lines().findFirst().orElse("an empty response"));
            }
        }
    }

    private static void log(String what, Exception reason) {
        System.getLogger(AotTrainingRunCommand.class.getName())
                .log(System.Logger.Level.DEBUG, "{0}: {1}", what, reason.getMessage());
    }

    /** Output of the server, from which its address is read. */
    private static final class ServedAddress extends StringWriter {
        private static final Pattern ADDRESS = Pattern.compile("http://[^\\s/]+");

        private final CompletableFuture<Optional<URI>> found = new CompletableFuture<>();

        @Override
        public void flush() {
            Matcher matcher = ADDRESS.matcher(toString());
            if (matcher.find()) {
                found.complete(Optional.of(URI.create(matcher.group())));
            }
        }
    }
}
