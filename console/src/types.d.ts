// Style sheets are bundled by esbuild; importing one gives no value.
declare module "*.css";
