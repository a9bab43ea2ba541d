const LOOPBACK_NAME = /^(?:[^.]+\.)*localhost\.?$/i;
const LOOPBACK_IPV4 = /^127(?:\.\d{1,3}){3}$/;

/** Whether the URL stays on this machine. Apart from the address classes, whose library a configuration check needs not load. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === '[::1]' || LOOPBACK_IPV4.test(hostname) || LOOPBACK_NAME.test(hostname);
}
