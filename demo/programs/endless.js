async () => {
  let page = 1;
  let rows = 0;
  while (page !== null) {
    rows += 100;
    page += 1;
  }
  return rows;
}
