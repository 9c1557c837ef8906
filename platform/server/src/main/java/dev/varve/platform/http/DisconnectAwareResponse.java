package dev.varve.platform.http;

import dev.varve.platform.http.json.ClientGoneException;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;

import java.io.IOException;

/**
 * A response whose failed writes throw {@link ClientGoneException}, which distinguishes a closed
 * connection from a disk that fails while the response is produced.
 */
final class DisconnectAwareResponse extends HttpServletResponseWrapper {
    DisconnectAwareResponse(HttpServletResponse response) {
        super(response);
    }

    /** A write to the client. */
    private interface Write {
        void run() throws IOException;
    }

    private static void toClient(Write write) throws IOException {
        try {
            write.run();
        } catch (IOException e) {
            throw new ClientGoneException(e);
        }
    }

    @Override
    public void flushBuffer() throws IOException {
        toClient(super::flushBuffer);
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        return new Out(super.getOutputStream());
    }

    private static final class Out extends ServletOutputStream {
        private final ServletOutputStream out;

        Out(ServletOutputStream out) {
            this.out = out;
        }

        @Override
        public boolean isReady() {
            return out.isReady();
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            out.setWriteListener(listener);
        }

        @Override
        public void write(int value) throws IOException {
            toClient(() -> out.write(value));
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            toClient(() -> out.write(bytes, from, length));
        }

        @Override
        public void flush() throws IOException {
            toClient(out::flush);
        }

        @Override
        public void close() throws IOException {
            toClient(out::close);
        }
    }
}
